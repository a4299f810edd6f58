import { getUser } from "/src/api/users.ts";
import { request } from "/src/api/http.ts";
var _jsxFileName = "/home/dev/app/src/UserList.tsx";
export function UserList({ ids }) {
	// It's here that each row asks for its own user.
	const users = ids.map((id) => getUser(id));
	return /* @__PURE__ */ React.createElement("ul", {
		title: "it's a list",
		__self: this,
		__source: {
			fileName: _jsxFileName,
			lineNumber: 11,
			columnNumber: 10
		}
	}, users.length);
}
export class Session {
	async start() {
		await request("/session");
		await request("/region");
	}
}

//# sourceMappingURL=data:application/json;base64,eyJtYXBwaW5ncyI6IkFBQUEsU0FBUyxlQUEwQjtBQUNuQyxTQUFTLGVBQWU7O0FBTXhCLE9BQU8sU0FBUyxTQUFTLEVBQUUsT0FBYzs7Q0FFdkMsTUFBTSxRQUF5QixJQUFJLEtBQUssT0FBTyxRQUFRLEVBQUUsQ0FBQztDQUMxRCxPQUFPLG9DQUFDLE1BQUQ7RUFBSSxPQUFNOzs7Ozs7O0NBQWdDLEdBQWpCLE1BQU0sTUFBVztBQUNuRDtBQUVBLE9BQU8sTUFBTSxRQUFRO0NBQ25CLE1BQU0sUUFBdUI7RUFDM0IsTUFBTSxRQUFRLFVBQVU7RUFDeEIsTUFBTSxRQUFRLFNBQVM7Q0FDekI7QUFDRiIsIm5hbWVzIjpbXSwic291cmNlcyI6WyJVc2VyTGlzdC50c3giXSwidmVyc2lvbiI6Mywic291cmNlc0NvbnRlbnQiOlsiaW1wb3J0IHsgZ2V0VXNlciwgdHlwZSBVc2VyIH0gZnJvbSBcIi4vYXBpL3VzZXJzXCI7XG5pbXBvcnQgeyByZXF1ZXN0IH0gZnJvbSBcIi4vYXBpL2h0dHBcIjtcblxuZGVjbGFyZSBjb25zdCBSZWFjdDogeyBjcmVhdGVFbGVtZW50KHR5cGU6IHN0cmluZywgcHJvcHM6IG9iamVjdCB8IG51bGwsIC4uLmNoaWxkcmVuOiB1bmtub3duW10pOiB1bmtub3duIH07XG5cbnR5cGUgUHJvcHMgPSB7IGlkczogbnVtYmVyW10gfTtcblxuZXhwb3J0IGZ1bmN0aW9uIFVzZXJMaXN0KHsgaWRzIH06IFByb3BzKSB7XG4gIC8vIEl0J3MgaGVyZSB0aGF0IGVhY2ggcm93IGFza3MgZm9yIGl0cyBvd24gdXNlci5cbiAgY29uc3QgdXNlcnM6IFByb21pc2U8VXNlcj5bXSA9IGlkcy5tYXAoKGlkKSA9PiBnZXRVc2VyKGlkKSk7XG4gIHJldHVybiA8dWwgdGl0bGU9XCJpdCdzIGEgbGlzdFwiPnt1c2Vycy5sZW5ndGh9PC91bD47XG59XG5cbmV4cG9ydCBjbGFzcyBTZXNzaW9uIHtcbiAgYXN5bmMgc3RhcnQoKTogUHJvbWlzZTx2b2lkPiB7XG4gICAgYXdhaXQgcmVxdWVzdChcIi9zZXNzaW9uXCIpO1xuICAgIGF3YWl0IHJlcXVlc3QoXCIvcmVnaW9uXCIpO1xuICB9XG59XG4iXX0=
