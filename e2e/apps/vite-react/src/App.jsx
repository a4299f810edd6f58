export function App() {
  return <p id="greeting">hello one</p>;
}
