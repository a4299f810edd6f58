package proxy

// stage is one step of an exchange. request may change what the target gets,
// response what the browser gets; either may be nil.
type stage struct {
	name     string
	request  func(*exchange)
	response func(*exchange)
}

// stages are run in this order, for the request and for the response alike.
// record comes first so that it sees what the browser sent and what the target
// answered, before the others change it.
var stages = [...]stage{
	{"record", (*exchange).recordRequest, (*exchange).recordResponse},
	{"origin", (*exchange).originRequest, (*exchange).originResponse},
	{"policy", nil, (*exchange).policyResponse},
	{"html", (*exchange).htmlRequest, (*exchange).htmlResponse},
}
