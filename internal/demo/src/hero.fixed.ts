// The picture at the top.

/** There is no photograph this season: the drawn scene in index.html is the picture. */
export function showLookbook(): void {}
