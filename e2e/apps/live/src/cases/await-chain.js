async function loadDashboard() {
  await fetch('/api/me');
  await fetch('/api/settings');
  await fetch('/api/alerts');
  await fetch('/api/news');
}

export const run = () => loadDashboard();
