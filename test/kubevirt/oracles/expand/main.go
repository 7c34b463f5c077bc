// Expands VMs, and completes the VMIs of their starts, with KubeVirt's own code, one VM per line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/api/instancetype/v1beta1"
	"kubevirt.io/client-go/log"

	"kubevirt.io/kubevirt/pkg/instancetype/apply"
	"kubevirt.io/kubevirt/pkg/instancetype/expand"
	preferenceapply "kubevirt.io/kubevirt/pkg/instancetype/preference/apply"
	"kubevirt.io/kubevirt/pkg/network/vmispec"
	"kubevirt.io/kubevirt/pkg/testutils"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/mutating-webhook/mutators"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vm"
)

type request struct {
	VM           v1.VirtualMachine                        `json:"vm"`
	Instancetype *v1beta1.VirtualMachineInstancetypeSpec `json:"instancetype"`
	Preference   *v1beta1.VirtualMachinePreferenceSpec   `json:"preference"`
	Config       v1.KubeVirtConfiguration                 `json:"config"`
	// The answers of the implementation under test, which are decoded and encoded again.
	Expanded *v1.VirtualMachine             `json:"expanded"`
	VMI      *v1.VirtualMachineInstanceSpec `json:"vmi"`
}

type answer struct {
	Expanded      *v1.VirtualMachine             `json:"expanded,omitempty"`
	ExpandError   string                         `json:"expandError,omitempty"`
	VMI           *v1.VirtualMachineInstanceSpec `json:"vmi,omitempty"`
	VMIError      string                         `json:"vmiError,omitempty"`
	Annotations   map[string]string              `json:"annotations,omitempty"`
	OwnExpanded   *v1.VirtualMachine             `json:"ownExpanded,omitempty"`
	OwnVMI        *v1.VirtualMachineInstanceSpec `json:"ownVmi,omitempty"`
}

func (r *request) Find(*v1.VirtualMachine) (*v1beta1.VirtualMachineInstancetypeSpec, error) {
	return r.Instancetype, nil
}

func (r *request) FindPreference(*v1.VirtualMachine) (*v1beta1.VirtualMachinePreferenceSpec, error) {
	return r.Preference, nil
}

func answerTo(asked *request) answer {
	config, _, _ := testutils.NewFakeClusterConfigUsingKVConfig(&asked.Config)
	given := answer{OwnExpanded: asked.Expanded, OwnVMI: asked.VMI}
	expanded, err := expand.New(config, asked, asked).Expand(asked.VM.DeepCopy())
	if err != nil {
		given.ExpandError = err.Error()
	} else {
		given.Expanded = expanded
	}

	// The steps of a start, in their order in virt-controller.
	vmi := vm.SetupVMIFromVM(asked.VM.DeepCopy())
	if asked.Preference != nil {
		preferenceapply.ApplyAutoAttachPreferences(asked.Preference, &vmi.Spec)
	}
	vm.AutoAttachInputDevice(vmi)
	if err := vmispec.SetDefaultNetworkInterface(config, &vmi.Spec); err != nil {
		given.VMIError = err.Error()
		return given
	}
	if conflicts := apply.NewVMIApplier().ApplyToVMI(
		field.NewPath("spec"), asked.Instancetype, asked.Preference, &vmi.Spec, &vmi.ObjectMeta,
	); len(conflicts) > 0 {
		given.VMIError = conflicts.Error()
		return given
	}
	if err := mutators.ApplyNewVMIMutations(vmi, config); err != nil {
		given.VMIError = err.Error()
		return given
	}
	given.VMI, given.Annotations = &vmi.Spec, vmi.Annotations
	return given
}

func main() {
	log.Log.SetIOWriter(io.Discard)
	out := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if asked.VM.Spec.Template == nil {
			asked.VM.Spec.Template = &v1.VirtualMachineInstanceTemplateSpec{ObjectMeta: metav1.ObjectMeta{}}
		}
		if err := out.Encode(safely(&asked)); err != nil {
			panic(err)
		}
	}
}

// Upstream panics at some objects that its schema refuses.
func safely(asked *request) (given answer) {
	defer func() {
		if failure := recover(); failure != nil {
			given = answer{ExpandError: fmt.Sprint("panic: ", failure), VMIError: fmt.Sprint("panic: ", failure)}
		}
	}()
	return answerTo(asked)
}
