function loadItem(id) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open('GET', `/api/items/${id}`);
    request.onload = () => done(request.responseText);
    request.onerror = failed;
    request.send();
  });
}

function loadItems() {
  return Promise.all([1, 2, 3, 4, 5, 6, 7].map((id) => loadItem(id)));
}

export const run = () => loadItems();
