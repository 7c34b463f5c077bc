// Applies the upgrade patches that HCO ships to objects. A line of input holds the version from
// which the upgrade comes and the object; the answer is the patched spec, or the error, and the
// objects that the upgrade removes.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/blang/semver/v4"
	"github.com/go-logr/logr"

	hcov1 "github.com/kubevirt/hyperconverged-cluster-operator/api/v1"
	"github.com/kubevirt/hyperconverged-cluster-operator/pkg/upgradepatch"
)

type question struct {
	From   string               `json:"from"`
	Object hcov1.HyperConverged `json:"object"`
}

type answer struct {
	Spec    *hcov1.HyperConvergedSpec `json:"spec,omitempty"`
	Error   string                    `json:"error,omitempty"`
	Removes []string                  `json:"removes"`
}

func main() {
	if err := upgradepatch.Init(os.DirFS(os.Args[1]), logr.Discard()); err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(answerTo(asked)); err != nil {
			panic(err)
		}
	}
}

func answerTo(asked question) answer {
	reply := answer{Removes: []string{}}
	from, err := semver.ParseTolerant(asked.From)
	if err != nil {
		reply.Error = err.Error()
		return reply
	}
	for _, object := range upgradepatch.GetObjectsToBeRemoved() {
		if object.IsAffectedRange(from) {
			reply.Removes = append(reply.Removes, object.GroupVersionKind.Kind+" "+object.ObjectKey.Name)
		}
	}
	patched, err := upgradepatch.ApplyUpgradePatch(logr.Discard(), &asked.Object, from)
	if err != nil {
		reply.Error = err.Error()
		return reply
	}
	reply.Spec = &patched.Spec
	return reply
}
