import axios from 'axios';

async function loadUsers() {
  const ids = [11, 12, 13, 14, 15, 16];
  return Promise.all(ids.map((id) => axios.get(`/api/users/${id}`)));
}

export const run = () => loadUsers();
