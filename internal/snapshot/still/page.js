// What is asked of a page before and after its picture is taken. It runs in a
// world of its own, so that the page's scripts neither see nor change it.

const second = 1000;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const frames = () => Promise.race([new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))), pause(second / 2)]);
const within = (ms, work) => Promise.race([Promise.resolve(work).then(() => true, () => true), pause(ms).then(() => false)]);

// roots are the document, its open shadow roots, and the documents of frames
// of the same site.
function roots() {
  const all = [document];
  for (let i = 0; i < all.length && all.length < 500; i++) {
    for (const el of all[i].querySelectorAll('*')) {
      if (el.shadowRoot) all.push(el.shadowRoot);
      if (el.localName === 'iframe' || el.localName === 'frame') {
        try {
          if (el.contentDocument) all.push(el.contentDocument);
        } catch {
          // another site's
        }
      }
    }
  }
  return all;
}

const every = (selector) => roots().flatMap((root) => [...root.querySelectorAll(selector)]);

// anew is a change of painting alone: nothing moves, no script notices, no image
// has to be decoded again, and all is painted again.
const anew = '*, *::before, *::after { accent-color: rgb(1 2 3) !important }';

// rules stop what styles set in motion. A browser that takes a picture of more
// than the window makes the window one pixel in size for a moment, whatever that
// is in the pixels of a page that is made for phones. When that is painted, what
// follows is painted anew.
const rules = () => `*, *::before, *::after { transition: none !important; scroll-behavior: auto !important; caret-color: transparent !important }
html { scroll-snap-type: none !important }
@media (max-width: 9px)${innerWidth === innerHeight ? '' : ', (aspect-ratio: 1/1)'} { ${anew} }`;

// style adds a style sheet to a document or shadow root, and returns what takes
// it away. Constructed ones need no leave of the page's policy.
function style(root, text) {
  try {
    const sheet = new (root.defaultView ?? root.ownerDocument?.defaultView ?? window).CSSStyleSheet();
    sheet.replaceSync(text);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return () => {
      root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((s) => s !== sheet);
    };
  } catch {
    return () => {}; // a document that is going away
  }
}

// calm adds the rules, once.
function calm() {
  for (const root of roots()) {
    if (root.orielCalm) continue;
    root.orielCalm = true;
    style(root, rules());
  }
}

// drawn waits until what is now has been painted: the second callback comes
// after the frame of the first.
const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

// repaint has everything painted from where it stands. What is on a layer of its
// own (sticky, will-change, a 3D transform, animated) is not painted again when
// it moves by a part of a pixel, so that its text and edges stay where they were
// rounded to for an earlier place: the picture would depend on how the page came
// to be what it is.
async function repaint() {
  const undo = roots().map((root) => style(root, anew));
  await drawn();
  for (const take of undo) take();
  await drawn();
}

// scroll walks through the page once, for what loads or appears when it comes
// into view, and returns to the top.
async function scroll(until) {
  const step = Math.max(200, innerHeight);
  for (let y = step, n = 0; y < document.documentElement.scrollHeight && n < 60 && performance.now() < until; y += step, n++) {
    scrollTo({ top: y, behavior: 'instant' });
    await frames();
  }
  scrollTo({ top: 0, left: 0, behavior: 'instant' });
  await frames();
}

const moving = { gif: 'image/gif', webp: 'image/webp', apng: 'image/png', avif: 'image/avif' };

function typeOf(src) {
  const data = /^data:(image\/[a-z]+)/.exec(src);
  if (data) return Object.values(moving).includes(data[1]) ? data[1] : undefined;
  return moving[/\.([a-z]+)(?:[?#]|$)/.exec(src.toLowerCase())?.[1] ?? ''];
}

// still replaces a picture that moves by its first frame, which is what a
// canvas draws of it.
async function still(img) {
  const type = typeOf(img.currentSrc);
  if (!type || !img.naturalWidth || img.orielStill) return;
  const decoder = new ImageDecoder({ data: await (await fetch(img.currentSrc)).arrayBuffer(), type });
  await decoder.tracks.ready;
  const animated = decoder.tracks.selectedTrack?.animated;
  decoder.close();
  img.orielStill = true;
  if (!animated) return;
  const canvas = document.createElement('canvas');
  canvas.width = img.naturalWidth;
  canvas.height = img.naturalHeight;
  canvas.getContext('2d').drawImage(img, 0, 0);
  const frozen = canvas.toDataURL();
  const probe = new Image();
  probe.src = frozen;
  await probe.decode(); // a policy may refuse it; then the picture stays as it is
  img.removeAttribute('srcset');
  for (const source of img.parentElement?.localName === 'picture' ? img.parentElement.querySelectorAll('source') : []) source.removeAttribute('srcset');
  img.src = frozen;
  await img.decode();
}

async function stop(video) {
  video.autoplay = false;
  video.pause();
  if (video.readyState > 0 && video.currentTime !== 0) {
    const sought = new Promise((done) => video.addEventListener('seeked', done, { once: true }));
    video.currentTime = 0;
    await sought;
  }
}

// settle waits for all that a finished page has, and says what did not come.
async function settle(patience) {
  const until = performance.now() + patience;
  const left = () => Math.max(50, until - performance.now());
  const late = [];
  calm();
  for (const el of every('[loading=lazy]')) el.loading = 'eager';
  await scroll(until);
  const images = every('img');
  const loaded = (img) => img.complete || new Promise((done) => ['load', 'error'].forEach((e) => img.addEventListener(e, done, { once: true })));
  if (!(await within(left(), Promise.all(images.map(loaded))))) late.push(`${images.filter((i) => !i.complete).length} images are still loading`);
  await within(left(), Promise.all(images.map((img) => img.decode?.().catch(() => {}))));
  await within(left(), Promise.all(images.map((img) => still(img).catch(() => {}))));
  await within(left(), Promise.all(every('video').map((v) => stop(v).catch(() => {}))));
  const docs = roots().filter((r) => r.fonts);
  if (!(await within(left(), Promise.all(docs.map((d) => d.fonts.ready))))) late.push('fonts are still loading');
  return late;
}

const ages = 3600 * second;

// freeze brings everything that moves to a fixed state: what ends, to its end;
// what goes on for ever, to its beginning. What the page itself holds still
// stays where it is.
async function freeze() {
  for (let round = 0; round < 5; round++) {
    calm();
    let moved = 0;
    for (const root of roots()) {
      for (const a of root.getAnimations?.({ subtree: true }) ?? []) {
        if (a.playState !== 'running' || (a.timeline && !('currentTime' in a.timeline && a.timeline.constructor.name === 'DocumentTimeline'))) continue;
        moved++;
        try {
          if (a.effect.getComputedTiming().endTime < ages) a.finish();
          else {
            a.pause();
            a.currentTime = 0;
          }
        } catch {
          a.cancel();
        }
      }
    }
    await frames();
    if (!moved) break; // the end of one may have begun another
  }
  for (const svg of every('svg')) {
    if (svg.pauseAnimations && !svg.ownerSVGElement) {
      svg.pauseAnimations();
      svg.setCurrentTime(0);
    }
  }
  for (const m of every('marquee')) m.stop?.();
  for (const v of every('video')) if (!v.paused) v.pause();
  if (scrollX || scrollY) scrollTo({ top: 0, left: 0, behavior: 'instant' });
  await frames();
  await repaint();
}

// faults are the errors that a dev server shows over the page.
function faults() {
  const shown = (el) => el && el.getBoundingClientRect().height > 0;
  const overlays = [
    ['Vite', () => document.querySelector('vite-error-overlay')],
    ['Next.js', () => document.querySelector('nextjs-portal')?.shadowRoot?.querySelector('[data-nextjs-dialog]')],
    ['webpack', () => document.querySelector('#webpack-dev-server-client-overlay')],
    ['React', () => document.querySelector('body > iframe[style*="2147483647"]')],
  ];
  return overlays.filter(([, find]) => shown(find())).map(([who]) => `an error that ${who} reports is over it`);
}

const place = (el) => {
  const r = el.getBoundingClientRect();
  return { x: r.left + scrollX, y: r.top + scrollY, w: r.width, h: r.height };
};

// find looks up what a caller points at; each selector may be a list.
function find(selectors) {
  const boxes = [];
  const missing = [];
  const wrong = [];
  for (const s of selectors) {
    try {
      const found = roots()
        .filter((r) => r === document || r instanceof ShadowRoot)
        .flatMap((root) => [...root.querySelectorAll(s)]);
      if (!found.length) missing.push(s);
      for (const el of found.slice(0, 500)) {
        const b = place(el);
        if (b.w > 0 && b.h > 0) boxes.push(b);
      }
    } catch {
      wrong.push(s);
    }
  }
  return { boxes: boxes.slice(0, 1000), missing, wrong };
}

const made = /\d{3,}|^[:_]|--|^(css|sc|jsx|svelte)-/; // by a tool, and another tomorrow

function step(el) {
  const name = CSS.escape(el.localName);
  const kept = [...el.classList].filter((c) => !made.test(c) && c.length < 30).slice(0, 2);
  return name + kept.map((c) => '.' + CSS.escape(c)).join('');
}

// unique is the shortest selector found that fits this element alone.
function unique(el) {
  const root = el.getRootNode();
  const alone = (s) => {
    try {
      const all = root.querySelectorAll(s);
      return all.length === 1 && all[0] === el;
    } catch {
      return false;
    }
  };
  const host = root instanceof ShadowRoot ? unique(root.host) + ' >>> ' : '';
  let path = '';
  for (let at = el, depth = 0; at && at.nodeType === 1 && depth < 12; at = at.parentElement, depth++) {
    const below = path ? ' > ' + path : '';
    const named = [];
    if (at.id && !made.test(at.id) && at.id.length < 50) named.push('#' + CSS.escape(at.id));
    for (const attribute of ['data-testid', 'data-test', 'name']) {
      const v = at.getAttribute(attribute);
      if (v && v.length < 50) named.push(`[${attribute}=${JSON.stringify(v)}]`);
    }
    const plain = step(at);
    let nth = '';
    const twins = at.parentElement ? [...at.parentElement.children].filter((c) => c.localName === at.localName) : [];
    if (twins.length > 1) nth = `:nth-of-type(${twins.indexOf(at) + 1})`;
    for (const s of [...named, plain, plain + nth]) if (alone(s + below)) return host + s + below;
    path = (named[0] ?? plain + nth) + below;
  }
  return host + path;
}

const shown = (el) => {
  const style = getComputedStyle(el);
  return style.visibility !== 'hidden' && style.opacity !== '0';
};

function words(el) {
  const text = el.getAttribute('alt') || el.getAttribute('aria-label') || el.innerText || el.value || el.placeholder || '';
  return String(text).replace(/\s+/g, ' ').trim().slice(0, 200);
}

// name finds the element that each box belongs to: the smallest that holds it,
// or for rows that came in, the one that fits them best.
function name(boxes) {
  const near = 3; // an element that moved has left marks beside itself
  const all = [];
  for (const root of roots()) {
    if (root !== document && !(root instanceof ShadowRoot)) continue;
    for (const el of root.querySelectorAll('*')) {
      const top = el.ownerSVGElement ?? el;
      const b = place(top);
      if (b.w > 0 && b.h > 0 && all.length < 20000) all.push({ el: top, ...b });
    }
  }
  return boxes.map((r) => {
    let best;
    let least = Infinity;
    for (const c of all) {
      const wide = Math.min(c.x + c.w, r.x + r.w) - Math.max(c.x, r.x);
      const high = Math.min(c.y + c.h, r.y + r.h) - Math.max(c.y, r.y);
      const holds = c.x - near <= r.x && c.y - near <= r.y && c.x + c.w + near >= r.x + r.w && c.y + c.h + near >= r.y + r.h;
      let cost = c.w * c.h;
      if (r.fit) {
        if (wide <= 0 || high <= 0) continue;
        cost = 1 - (wide * high) / (c.w * c.h + r.w * r.h - wide * high);
      } else if (!holds) continue;
      if (cost <= least && shown(c.el)) {
        least = cost;
        best = c;
      }
    }
    if (!best) return { selector: '', text: '', box: r };
    return { selector: unique(best.el), text: words(best.el), box: { x: best.x, y: best.y, w: best.w, h: best.h } };
  });
}
