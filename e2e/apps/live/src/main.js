// Runs the case that the address names: /?case=axios-fan-out
const cases = import.meta.glob('./cases/*.js');
const name = new URLSearchParams(location.search).get('case');
const { run } = await cases[`./cases/${name}.js`]();
await run();
document.documentElement.dataset.ready = name;
