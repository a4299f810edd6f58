// A thin wrapper, as most applications have one.
export async function request<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`/api${path}`, { ...init, headers: { accept: "application/json" } });
  return response.json();
}
