async function loadStart(api) {
  const session = await fetch(`${api}/session`);
  await session.json();
  const region = await fetch(`${api}/region`);
  await region.json();
  const catalog = await fetch(`${api}/catalog`);
  await catalog.json();
}

async function loadUsers(api) {
  for (const id of [1, 2, 3, 4, 5, 6]) {
    const user = await fetch(`${api}/users/${id}`);
    await user.json();
  }
}

const api = new URLSearchParams(location.search).get('api');
loadStart(api)
  .then(() => new Promise((later) => setTimeout(later, 400)))
  .then(() => loadUsers(api))
  .then(() => { document.documentElement.dataset.ready = 'calls'; });
