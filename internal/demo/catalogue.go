package demo

import "slices"

// product is one thing the shop sells. Prices are in pence.
type product struct {
	ID       int     `json:"id"`
	Name     string  `json:"name"`
	Maker    string  `json:"maker"`
	Category string  `json:"category"`
	Price    int     `json:"price"`
	Was      int     `json:"was,omitempty"`
	Rating   float64 `json:"rating"`
	Reviews  int     `json:"reviews"`
	Badge    string  `json:"badge,omitempty"`
	Art      string  `json:"art"`  // the symbol in static/art.svg
	Tone     string  `json:"tone"` // the backdrop in static/app.css
	Stock    *stock  `json:"stock,omitempty"`
}

type stock struct {
	ProductID int    `json:"productId"`
	Available int    `json:"available"`
	Back      string `json:"back,omitempty"` // when it is there again
}

type productList struct {
	Products []product `json:"products"`
}

type user struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	StoreID string `json:"storeId"`
}

type preferences struct {
	Locale   string `json:"locale"`
	Currency string `json:"currency"`
	Delivery string `json:"delivery"`
}

type store struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Hours string `json:"hours"`
	Ready string `json:"ready"`
}

type bareSession struct {
	ID     string `json:"id"`
	UserID string `json:"userId"`
}

type wholeSession struct {
	ID          string      `json:"id"`
	User        user        `json:"user"`
	Preferences preferences `json:"preferences"`
	Store       store       `json:"store"`
}

type config struct {
	Currency         string `json:"currency"`
	FreeShippingFrom int    `json:"freeShippingFrom"`
	Notice           string `json:"notice"`
	SupportHours     string `json:"supportHours"`
}

type recommendationList struct {
	Title      string `json:"title"`
	ProductIDs []int  `json:"productIds"`
}

type review struct {
	Author  string `json:"author"`
	Place   string `json:"place"`
	Stars   int    `json:"stars"`
	Text    string `json:"text"`
	Product string `json:"product"`
}

type reviewList struct {
	Reviews []review `json:"reviews"`
}

type refusal struct {
	Error string `json:"error"`
}

const sessionID = "ses_7f3k9q2m"

var (
	visitor            = user{ID: "usr_4821", Name: "Robin", StoreID: nearestStore.ID}
	visitorPreferences = preferences{Locale: "en_GB", Currency: "GBP", Delivery: "collect"}
	nearestStore       = store{ID: "str_17", Name: "Harbourside, Bristol", Hours: "9:30–18:00", Ready: "ready tomorrow from 10:00"}
	settings           = config{Currency: "GBP", FreeShippingFrom: 6000, Notice: "New: the autumn table, made by eleven small workshops", SupportHours: "Mon–Sat, 9–18"}
	recommended        = recommendationList{Title: "Picked for you", ProductIDs: []int{104, 110, 102, 105}}
	latestReviews      = reviewList{Reviews: []review{
		{"Imke S.", "Leeds", 5, "The glaze is even better in person. It is now the only mug anyone in this house fights over.", "Speckled Mug"},
		{"Tomasz W.", "Glasgow", 5, "Arrived wrapped in wool offcuts, no plastic at all. The lamp is lovely to dim.", "Dune Desk Lamp"},
		{"Adaeze O.", "Bristol", 4, "Collected it in the shop ten minutes after ordering. Heavier than I thought, in a good way.", "Ash Stool"},
	}}
)

var catalogue = []product{
	{ID: 101, Name: "Speckled Mug", Maker: "Tern Pottery", Category: "kitchen", Price: 1800, Rating: 4.9, Reviews: 214, Badge: "Bestseller", Art: "mug", Tone: "clay"},
	{ID: 102, Name: "Stoneware Teapot", Maker: "Tern Pottery", Category: "kitchen", Price: 5400, Rating: 4.7, Reviews: 88, Art: "teapot", Tone: "sage"},
	{ID: 103, Name: "Dune Desk Lamp", Maker: "Lowlight Studio", Category: "living", Price: 8900, Rating: 4.8, Reviews: 61, Badge: "New", Art: "lamp", Tone: "sand"},
	{ID: 104, Name: "Ribbed Bud Vase", Maker: "Glasshouse Nine", Category: "living", Price: 2600, Rating: 4.6, Reviews: 132, Art: "vase", Tone: "mist"},
	{ID: 105, Name: "Boston Fern, Potted", Maker: "Understory", Category: "living", Price: 3200, Rating: 4.5, Reviews: 47, Art: "fern", Tone: "moss"},
	{ID: 106, Name: "Beeswax Candle", Maker: "Apiary Row", Category: "gifts", Price: 1400, Rating: 4.9, Reviews: 305, Art: "candle", Tone: "honey"},
	{ID: 107, Name: "Merino Throw", Maker: "Fell & Weft", Category: "living", Price: 9600, Was: 12000, Rating: 4.8, Reviews: 73, Badge: "−20%", Art: "throw", Tone: "rose"},
	{ID: 108, Name: "Oak Wall Clock", Maker: "Quarter Past", Category: "living", Price: 6400, Rating: 4.4, Reviews: 39, Art: "clock", Tone: "mist"},
	{ID: 109, Name: "Serving Bowl", Maker: "Tern Pottery", Category: "kitchen", Price: 3800, Rating: 4.7, Reviews: 96, Art: "bowl", Tone: "clay"},
	{ID: 110, Name: "Linen Cushion", Maker: "Fell & Weft", Category: "living", Price: 4200, Rating: 4.6, Reviews: 118, Art: "cushion", Tone: "sage"},
	{ID: 111, Name: "Dot-Grid Notebook", Maker: "Paper Lane", Category: "gifts", Price: 1200, Rating: 4.8, Reviews: 162, Badge: "New", Art: "notebook", Tone: "honey"},
	{ID: 112, Name: "Ash Stool", Maker: "Three Legs Good", Category: "living", Price: 11000, Rating: 4.9, Reviews: 54, Art: "stool", Tone: "sand"},
}

func find(id int) (product, bool) {
	i := slices.IndexFunc(catalogue, func(p product) bool { return p.ID == id })
	if i < 0 {
		return product{}, false
	}
	return catalogue[i], true
}

// stockOf is the same on every run; a few products are scarce and one is out.
func stockOf(id int) stock {
	switch id {
	case 104:
		return stock{ProductID: id, Available: 3}
	case 107:
		return stock{ProductID: id, Available: 2}
	case 108:
		return stock{ProductID: id, Back: "back on 12 May"}
	default:
		return stock{ProductID: id, Available: 12 + id%7}
	}
}
