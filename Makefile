# The two commands: `make demo` shows the product at work, `make test` checks
# everything. Both install what they need on a Debian-like machine with Go and
# Node.

GO      ?= go
VERSION := 0.1.0
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X oriel/internal/cli.version=$(VERSION) -X oriel/internal/cli.commit=$(COMMIT)
TOOLS   := $(GO) tool -modfile=tools.mod
BUNDLE  := $(GO) run -modfile=tools.mod -tags bundle
export CGO_ENABLED ?= 0

.PHONY: build demo test check unit web deps generate bench clean

build: ## the binary, bin/oriel
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/oriel ./cmd/oriel

demo: build ## run the main job on the built-in sample
	@.ci/deps chromium || true
	bin/oriel demo

test: deps build check web unit ## everything

deps: ## Chromium, the page's tools, two dev servers
	.ci/deps chromium web apps

check: ## format, vet, lint, other systems
	@files=$$(git ls-files '*.go' | xargs gofmt -l); test -z "$$files" || { echo "not gofmt'd: $$files"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) vet ./...
	$(TOOLS) staticcheck ./...

web: ## types, lint, tests and drift of the page's TypeScript
	cd web && npm run --silent check && npm run --silent test && npm run --silent drift
	web/node_modules/.bin/tsc -p internal/demo/tsconfig.json
	web/node_modules/.bin/tsc -p internal/demo/tsconfig.fixed.json
	web/node_modules/.bin/oxlint -c web/.oxlintrc.json --deny-warnings internal/demo/src
	$(BUNDLE) ./internal/demo/bundle -check

unit: build ## every Go test, with the race detector
	CGO_ENABLED=1 $(GO) test -race -timeout 15m ./...

generate: ## write what is generated: web/dist, docs, goldens
	cd web && npm run --silent bundle
	$(BUNDLE) ./internal/demo/bundle
	$(GO) test ./internal/tools ./internal/cli -run "Schemas|Docs" -update

bench: build ## speed and size, as ratios against a bare proxy
	$(GO) run ./bench/startup bin/oriel
	$(GO) run ./bench/proxy
	$(GO) run ./bench/page
	$(GO) run ./bench/audit

clean:
	rm -rf bin web/node_modules
