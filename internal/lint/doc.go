// Package lint holds the project's rules as tests; CONTRIBUTING.md lists them.
package lint
