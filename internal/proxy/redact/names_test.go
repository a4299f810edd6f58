package redact

import (
	"fmt"
	"testing"
)

func TestSecret(t *testing.T) {
	r := New(nil)
	for name, want := range map[string]bool{
		"password": true, "newPassword": true, "pass": true, "Passwd": true, "token": true, "refreshToken": true, "access_token": true, "csrf-token": true,
		"client_secret": true, "secretKey": true, "apiKey": true, "X-API-Key": true, "session": true, "sessionId": true, "jwt": true, "credentials": true, "auth": true, "otp": true,
		"privateKey": true, "AWSAccessKeyId": true, "cardNumber": true, "cvv": true,
		"passenger": false, "bypass": false, "author": false, "authority": false, "key": false, "id": false, "name": false, "tokenizer": false, "token_type": false,
		"sessions": false, "pinned": false, "sidebar": false, "passwordless": false, "monkey": false, "": false,
	} {
		for range 2 { // the second answer is remembered
			if got := r.Secret(name); got != want {
				t.Errorf("%q: %v", name, got)
			}
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	r := New(nil)
	for i := range 3 * maxVerdicts {
		r.Secret(fmt.Sprint("name", i))
	}
	if n := len(r.cache.m); n > maxVerdicts {
		t.Errorf("%d names are remembered", n)
	}
}
