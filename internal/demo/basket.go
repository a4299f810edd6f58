package demo

import "sync"

// mostOfOne is how many of one product a basket holds, so that a page left
// open and clicked on for ever stays small.
const mostOfOne = 9

// basket is what the visitor wants to buy.
type basket struct {
	mu    sync.Mutex
	items []basketItem // by the time they were first added
}

type basketItem struct {
	ProductID int    `json:"productId"`
	Name      string `json:"name"`
	Art       string `json:"art"`
	Tone      string `json:"tone"`
	Price     int    `json:"price"`
	Quantity  int    `json:"quantity"`
}

type basketView struct {
	Items []basketItem `json:"items"`
	Count int          `json:"count"`
	Total int          `json:"total"`
}

// newBasket is the basket of somebody who has been here before.
func newBasket() *basket {
	b := &basket{}
	for _, id := range []int{101, 106, 106} {
		if p, ok := find(id); ok {
			b.add(p)
		}
	}
	return b
}

func (b *basket) add(p product) basketView {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.items {
		if b.items[i].ProductID == p.ID {
			b.items[i].Quantity = min(b.items[i].Quantity+1, mostOfOne)
			return b.locked()
		}
	}
	b.items = append(b.items, basketItem{ProductID: p.ID, Name: p.Name, Art: p.Art, Tone: p.Tone, Price: p.Price, Quantity: 1})
	return b.locked()
}

func (b *basket) view() basketView {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.locked()
}

// locked is a copy of what the basket holds; the caller has the lock.
func (b *basket) locked() basketView {
	v := basketView{Items: append([]basketItem{}, b.items...)}
	for _, item := range b.items {
		v.Count += item.Quantity
		v.Total += item.Quantity * item.Price
	}
	return v
}
