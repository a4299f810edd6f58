import { Session, UserList } from "/src/UserList.tsx";
async function boot() {
	UserList({ ids: [
		1,
		2,
		3
	] });
	await new Session().start();
}
const done = boot();
export default done;

//# sourceMappingURL=data:application/json;base64,eyJtYXBwaW5ncyI6IkFBQUEsU0FBUyxTQUFTLGdCQUFnQjtBQUVsQyxlQUFlLE9BQU87Q0FDcEIsU0FBUyxFQUFFLEtBQUs7RUFBQztFQUFHO0VBQUc7Q0FBQyxFQUFFLENBQUM7Q0FDM0IsTUFBTSxJQUFJLFFBQVEsQ0FBQyxDQUFDLE1BQU07QUFDNUI7QUFFQSxNQUFNLE9BQU8sS0FBSztBQUNsQixlQUFlIiwibmFtZXMiOltdLCJzb3VyY2VzIjpbIm1haW4udHMiXSwidmVyc2lvbiI6Mywic291cmNlc0NvbnRlbnQiOlsiaW1wb3J0IHsgU2Vzc2lvbiwgVXNlckxpc3QgfSBmcm9tIFwiLi9Vc2VyTGlzdFwiO1xuXG5hc3luYyBmdW5jdGlvbiBib290KCkge1xuICBVc2VyTGlzdCh7IGlkczogWzEsIDIsIDNdIH0pO1xuICBhd2FpdCBuZXcgU2Vzc2lvbigpLnN0YXJ0KCk7XG59XG5cbmNvbnN0IGRvbmUgPSBib290KCk7XG5leHBvcnQgZGVmYXVsdCBkb25lO1xuIl19
