import { QueryClient } from '@tanstack/query-core';

const client = new QueryClient();

async function fetchOrder(id) {
  const response = await fetch(`/api/orders/ord_8fk2x${id}`);
  return response.json();
}

function showOrders() {
  return Promise.all([101, 102, 103, 104, 105].map((id) => client.fetchQuery({ queryKey: ['order', id], queryFn: () => fetchOrder(id) })));
}

export const run = () => showOrders();
