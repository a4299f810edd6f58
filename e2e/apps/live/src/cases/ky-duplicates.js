import ky from 'ky';

async function loadCart() {
  const cart = await ky.get('/api/cart').json();
  return cart;
}

export const run = () => Promise.all([loadCart(), loadCart(), loadCart()]);
