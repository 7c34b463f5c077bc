// Admits VMIs with KubeVirt's own rules, as its mutating and validating webhooks do in turn, one
// VMI per line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/client-go/log"

	netadmitter "kubevirt.io/kubevirt/pkg/network/admitter"
	storageadmitters "kubevirt.io/kubevirt/pkg/storage/admitters"
	"kubevirt.io/kubevirt/pkg/testutils"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/mutating-webhook/mutators"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/validating-webhook/admitters"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"
)

type request struct {
	VMI    v1.VirtualMachineInstance  `json:"vmi"`
	Config v1.KubeVirtConfiguration `json:"config"`
}

type answer struct {
	Allowed bool                 `json:"allowed"`
	Causes  []metav1.StatusCause `json:"causes"`
	Error   string               `json:"error,omitempty"`
}

func answerTo(asked *request) answer {
	config, _, _ := testutils.NewFakeClusterConfigUsingKVConfig(&asked.Config)
	vmi := &asked.VMI
	if err := mutators.ApplyNewVMIMutations(vmi, config); err != nil {
		return answer{Error: err.Error()}
	}
	raw, err := json.Marshal(vmi)
	if err != nil {
		panic(err)
	}
	admitter := &admitters.VMICreateAdmitter{
		ClusterConfig:  config,
		SpecValidators: []admitters.SpecValidator{validateNetworks, storageadmitters.Validate},
	}
	response := admitter.Admit(context.Background(), &admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		Operation: admissionv1.Create,
		Resource:  metav1.GroupVersionResource(webhooks.VirtualMachineInstanceGroupVersionResource),
		Object:    runtime.RawExtension{Raw: raw},
	}})
	given := answer{Allowed: response.Allowed, Causes: []metav1.StatusCause{}}
	if response.Result != nil {
		given.Error = response.Result.Message
		if response.Result.Details != nil {
			given.Causes = response.Result.Details.Causes
		}
	}
	return given
}

func validateNetworks(path *field.Path, spec *v1.VirtualMachineInstanceSpec, config *virtconfig.ClusterConfig) []metav1.StatusCause {
	return netadmitter.Validate(path, spec, config)
}

func main() {
	log.Log.SetIOWriter(io.Discard)
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			if err := out.Encode(answer{Error: "decode: " + err.Error()}); err != nil {
				panic(err)
			}
			continue
		}
		if err := out.Encode(safely(&asked)); err != nil {
			panic(err)
		}
	}
}

func safely(asked *request) (given answer) {
	defer func() {
		if failure := recover(); failure != nil {
			given = answer{Error: fmt.Sprint("panic: ", failure)}
		}
	}()
	return answerTo(asked)
}
