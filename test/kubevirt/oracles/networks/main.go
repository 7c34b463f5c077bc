// Validates networks and interfaces of VMIs with KubeVirt's own rules, one spec per line.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "kubevirt.io/api/core/v1"

	"kubevirt.io/kubevirt/pkg/network/admitter"
)

type request struct {
	Spec  v1.VirtualMachineInstanceSpec `json:"spec"`
	Gates []string                      `json:"gates"`
}

func (r *request) IsBridgeInterfaceOnPodNetworkEnabled() bool { return true }
func (r *request) PasstBindingEnabled() bool                  { return slices.Contains(r.Gates, "PasstBinding") }
func (r *request) NetworkDevicesWithDRAGateEnabled() bool {
	return slices.Contains(r.Gates, "NetworkDevicesWithDRA")
}
func (r *request) PortRangesSpecGateEnabled() bool { return slices.Contains(r.Gates, "PortRangesSpec") }

func main() {
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked request
		causes := []metav1.StatusCause{}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		causes = append(causes, admitter.Validate(field.NewPath("spec"), &asked.Spec, &asked)...)
		if err := out.Encode(causes); err != nil {
			panic(err)
		}
	}
}
