package demo

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// maxBody is what a request to the shop may carry.
const maxBody = 16 << 10

// shop is the API behind the page.
type shop struct {
	fixed  bool
	scale  float64
	basket *basket
}

// routes adds the API. Each route says how long its answer takes, as if a
// database and two services stood behind it.
func (s *shop) routes(mux *http.ServeMux) {
	for _, route := range []struct {
		pattern string
		ms      int
		handle  http.HandlerFunc
	}{
		{"GET /api/session", 180, s.session},
		{"GET /api/users/{id}", 240, s.user},
		{"GET /api/users/{id}/preferences", 200, s.preferences},
		{"GET /api/stores/{id}", 250, s.store},
		// Early enough that drawing the cards does not fall between two calls of
		// the session: a busy machine would seem to pause there.
		{"GET /api/products", 120, s.products},
		{"GET /api/products/{id}/stock", 110, s.stock},
		{"GET /api/cart", 90, s.cart},
		{"POST /api/cart/items", 150, s.addItem},
		{"GET /api/config", 70, s.config},
		{"GET /api/recommendations", 160, s.recommendations},
		{"GET /api/reviews/latest", 150, s.reviews},
		{"POST /api/events", 30, s.events},
	} {
		mux.HandleFunc(route.pattern, s.after(route.ms, route.handle))
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "no such endpoint")
	})
}

// after waits before it answers; a client that leaves ends the wait.
func (s *shop) after(ms int, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d := time.Duration(float64(ms+jitter(r.URL.Path)) * s.scale * float64(time.Millisecond))
		if wait(r.Context(), d) {
			next(w, r)
		}
	}
}

// jitter is up to 40 ms that hang on the path alone: calls of one kind differ
// as in life, and every run is like the last.
func jitter(path string) int {
	sum := 0
	for _, c := range []byte(path) {
		sum = (sum*31 + int(c)) % 9973
	}
	return sum % 40
}

// wait reports whether the time has passed before the context ended.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// session is the visitor's sign-in; include=all adds what the page needs to
// know of them, so that one call is enough.
func (s *shop) session(w http.ResponseWriter, r *http.Request) {
	// The shop with faults lets every script on the page read the sign-in.
	http.SetCookie(w, &http.Cookie{Name: "shop_session", Value: sessionID, Path: "/", HttpOnly: s.fixed, SameSite: http.SameSiteLaxMode})
	if r.URL.Query().Get("include") == "all" {
		answer(w, http.StatusOK, wholeSession{ID: sessionID, User: visitor, Preferences: visitorPreferences, Store: nearestStore})
		return
	}
	answer(w, http.StatusOK, bareSession{ID: sessionID, UserID: visitor.ID})
}

func (s *shop) user(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("id") != visitor.ID {
		refuse(w, http.StatusNotFound, "no such user")
		return
	}
	answer(w, http.StatusOK, visitor)
}

func (s *shop) preferences(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("id") != visitor.ID {
		refuse(w, http.StatusNotFound, "no such user")
		return
	}
	answer(w, http.StatusOK, visitorPreferences)
}

func (s *shop) store(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("id") != nearestStore.ID {
		refuse(w, http.StatusNotFound, "no such store")
		return
	}
	answer(w, http.StatusOK, nearestStore)
}

// products lists the catalogue; include=stock adds the stock of each product.
func (s *shop) products(w http.ResponseWriter, r *http.Request) {
	list := productList{Products: slices.Clone(catalogue)}
	if r.URL.Query().Get("include") == "stock" {
		for i := range list.Products {
			have := stockOf(list.Products[i].ID)
			list.Products[i].Stock = &have
		}
	}
	answer(w, http.StatusOK, list)
}

func (s *shop) stock(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if _, known := find(id); err != nil || !known {
		refuse(w, http.StatusNotFound, "no such product")
		return
	}
	answer(w, http.StatusOK, stockOf(id))
}

func (s *shop) cart(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, s.basket.view())
}

func (s *shop) addItem(w http.ResponseWriter, r *http.Request) {
	var want struct {
		ProductID int `json:"productId"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&want); err != nil {
		refuse(w, http.StatusBadRequest, "the body must be JSON like {\"productId\": 101}")
		return
	}
	p, known := find(want.ProductID)
	switch {
	case !known:
		refuse(w, http.StatusNotFound, "no such product")
	case !s.fixed && p.ID == BrokenProduct:
		refuse(w, http.StatusInternalServerError, "reservation service: connection refused")
	default:
		answer(w, http.StatusCreated, s.basket.add(p))
	}
}

func (s *shop) config(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, settings)
}

// recommendations fail in the shop with faults; the page shows bestsellers
// instead and says so.
func (s *shop) recommendations(w http.ResponseWriter, r *http.Request) {
	if !s.fixed {
		refuse(w, http.StatusInternalServerError, "ranking model not loaded")
		return
	}
	answer(w, http.StatusOK, recommended)
}

func (s *shop) reviews(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, latestReviews)
}

// events takes what the page reports about itself and forgets it.
func (s *shop) events(w http.ResponseWriter, r *http.Request) {
	var batch struct {
		Events []struct {
			Name string `json:"name"`
		} `json:"events"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&batch); err != nil || len(batch.Events) == 0 {
		refuse(w, http.StatusBadRequest, "the body must be JSON like {\"events\": [{\"name\": \"page_view\"}]}")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// answer sends a value as JSON.
func answer[T any](w http.ResponseWriter, status int, v T) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "encode answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client has gone; there is nobody to tell
}

func refuse(w http.ResponseWriter, status int, why string) {
	answer(w, status, refusal{Error: why})
}
