// Validates bundles as operator-sdk does: one folder per line of input.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
)

type answer struct {
	Errors   []string `json:"errors"`
	Warnings []string `json:"warnings"`
}

func validate(folder string) answer {
	bundle, err := manifests.GetBundleFromDir(folder)
	if err != nil {
		return answer{Errors: []string{err.Error()}}
	}
	result := answer{}
	for _, found := range validation.DefaultBundleValidators.Validate(bundle.ObjectsToValidate()...) {
		for _, e := range found.Errors {
			result.Errors = append(result.Errors, e.Error())
		}
		for _, w := range found.Warnings {
			result.Warnings = append(result.Warnings, w.Error())
		}
	}
	return result
}

func main() {
	out := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var folder string
		if err := json.Unmarshal(lines.Bytes(), &folder); err != nil {
			panic(err)
		}
		if err := out.Encode(validate(folder)); err != nil {
			panic(err)
		}
	}
}
