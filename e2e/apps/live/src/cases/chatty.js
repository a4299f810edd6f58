// Names that are no ids, from two places: many calls, no fan-out.
const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor'.split(' ');

export const run = () => Promise.all(words.map((word, i) => (i % 2 ? fetch(`/api/${word}/list`) : fetch(`/api/${word}`))));
