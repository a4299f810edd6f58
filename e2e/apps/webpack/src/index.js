import { greeting } from './greeting.js';

const show = (text) => { document.getElementById('greeting').textContent = text; };
show(greeting);
if (module.hot) {
  module.hot.accept('./greeting.js', () => show(greeting));
}
