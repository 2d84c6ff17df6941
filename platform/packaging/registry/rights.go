package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/distribution/distribution/v3/registry/auth"
)

// every is the project that stands for all of them and for the catalog of repositories.
const every = "*"

// rights are those of the section `auth: certificates:` of the configuration: what each client may change, by the common
// name of its certificate, as projects (the first parts of a repository's name). Whoever has a certificate may pull.
type rights map[string][]string

func init() {
	if err := auth.Register("certificates", newRights); err != nil {
		panic(err)
	}
}

func newRights(options map[string]any) (auth.AccessController, error) {
	found := rights{}
	for name, listed := range options {
		projects, isList := listed.([]any)
		if !isList {
			return nil, fmt.Errorf("auth.certificates: %s: a list of projects is needed", name)
		}
		for _, project := range projects {
			text, isText := project.(string)
			if !isText || text == "" {
				return nil, fmt.Errorf("auth.certificates: %s: %v is no project", name, project)
			}
			found[name] = append(found[name], text)
		}
	}
	return found, nil
}

// Authorized lets a client in for what the registry says that the request needs: of a mount also the pull from elsewhere.
func (held rights) Authorized(request *http.Request, needed ...auth.Access) (*auth.Grant, error) {
	if request.TLS == nil || len(request.TLS.VerifiedChains) == 0 {
		return nil, refusal("no certificate was shown")
	}
	name := request.TLS.VerifiedChains[0][0].Subject.CommonName
	for _, access := range needed {
		if !held.allow(name, access) {
			return nil, refusal(fmt.Sprintf("%q may not %s %s %s", name, access.Action, access.Type, access.Name))
		}
	}
	return &auth.Grant{User: auth.UserInfo{Name: name}}, nil
}

func (held rights) allow(name string, access auth.Access) bool {
	ofRepository := access.Type == "repository"
	if ofRepository && access.Action == "pull" {
		return true
	}
	for _, project := range held[name] {
		if project == every || (ofRepository && strings.HasPrefix(access.Name, project+"/")) {
			return true
		}
	}
	return false
}

// refusal is answered with 401, which goes with a challenge; there is nothing with which to come again.
type refusal string

func (reason refusal) Error() string { return string(reason) }

func (refusal) SetHeaders(_ *http.Request, answer http.ResponseWriter) {
	answer.Header().Set("WWW-Authenticate", `Certificate realm="registry.atoll.internal"`)
}
