// Prints the objects of the workloads that HCO deploys itself. A line of input holds the
// HyperConverged object and facts of the cluster.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	hcov1 "github.com/kubevirt/hyperconverged-cluster-operator/api/v1"
	"github.com/kubevirt/hyperconverged-cluster-operator/controllers/handlers"
	"github.com/kubevirt/hyperconverged-cluster-operator/controllers/handlers/aie"
	"github.com/kubevirt/hyperconverged-cluster-operator/controllers/handlers/netresinjector"
	"github.com/kubevirt/hyperconverged-cluster-operator/controllers/handlers/observabilitycontroller"
	waspagent "github.com/kubevirt/hyperconverged-cluster-operator/controllers/handlers/wasp-agent"
	"github.com/kubevirt/hyperconverged-cluster-operator/controllers/operands"
	"github.com/kubevirt/hyperconverged-cluster-operator/pkg/nodeinfo"
	hcoutil "github.com/kubevirt/hyperconverged-cluster-operator/pkg/util"
)

type question struct {
	Object            hcov1.HyperConverged `json:"object"`
	OpenShift         bool                 `json:"openShift"`
	IsHighlyAvailable bool                 `json:"isHighlyAvailable"`
}

type cluster struct {
	hcoutil.ClusterInfo
	openShift bool
}

func (c cluster) IsOpenshift() bool { return c.openShift }

var scheme = runtime.NewScheme()

type constructor func(client.Client, *runtime.Scheme) operands.Operand

func objectsOf(asked question) ([]client.Object, error) {
	hcoutil.GetClusterInfo = func() hcoutil.ClusterInfo { return cluster{openShift: asked.OpenShift} }
	nodeinfo.IsInfrastructureHighlyAvailable = func() bool { return asked.IsHighlyAvailable }
	constructors := []constructor{
		netresinjector.NewServiceAccountHandler,
		netresinjector.NewClusterRoleHandler,
		netresinjector.NewClusterRoleBindingHandler,
		netresinjector.NewServiceHandler,
		netresinjector.NewPDBHandler,
		netresinjector.NewDeploymentHandler,
		netresinjector.NewMutatingWebhookConfigurationHandler,
		aie.NewAIEWebhookServiceAccountHandler,
		aie.NewAIEWebhookClusterRoleHandler,
		aie.NewAIEWebhookClusterRoleBindingHandler,
		aie.NewAIEWebhookConfigMapHandler,
		aie.NewAIEWebhookServiceHandler,
		aie.NewAIEWebhookDeploymentHandler,
		aie.NewAIEWebhookMutatingWebhookConfigurationHandler,
		observabilitycontroller.NewServiceAccountHandler,
		observabilitycontroller.NewClusterRoleHandler,
		observabilitycontroller.NewClusterRoleBindingHandler,
		observabilitycontroller.NewDeploymentHandler,
		func(c client.Client, s *runtime.Scheme) operands.Operand { return handlers.NewKvPriorityClassHandler(c, s) },
	}
	if asked.OpenShift {
		constructors = append(constructors,
			waspagent.NewWaspAgentServiceAccountHandler,
			waspagent.NewWaspAgentClusterRoleHandler,
			waspagent.NewWaspAgentClusterRoleBindingHandler,
			waspagent.NewWaspAgentSCCHandler,
			waspagent.NewWaspAgentDaemonSetHandler,
		)
	} else {
		constructors = append(constructors,
			netresinjector.NewCertManagerCertHandler,
			handlers.NewCertManagerIssuerHandler,
		)
	}
	var objects []client.Object
	for _, construct := range constructors {
		object, err := construct(nil, scheme).(operands.CRGetter).GetFullCr(&asked.Object)
		if err != nil {
			return nil, err
		}
		if kinds, _, err := scheme.ObjectKinds(object); err == nil && len(kinds) > 0 {
			object.GetObjectKind().SetGroupVersionKind(kinds[0])
		}
		objects = append(objects, object)
	}
	return objects, nil
}

func main() {
	for _, variable := range os.Args[1:] {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
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
		objects, err := objectsOf(asked)
		if err != nil {
			panic(err)
		}
		if err := out.Encode(objects); err != nil {
			panic(err)
		}
	}
}
