import { systemLabels as labels } from '#api/access/managed.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, groupResourceOf } from '#apimachinery/meta/resource-type.ts'

/** Name of the policy and of its binding. */
export const deletionPolicyName = 'deletion.hyperconverged.steadyvm.io'

const apiVersion = 'admissionregistration.k8s.io/v1'

/**
 * Refuses to delete the namespace of the operator, and the CRD, while there is a HyperConverged
 * object: the operator would end before it has removed the components, and the finalizer of the
 * object would stay for ever. The object is the parameter of the policy, so that without it nothing
 * is refused. `failurePolicy: Ignore`, since the kind of the parameter is gone with the CRD. Pure.
 */
export function deletionPolicy({ namespace, name }: { readonly namespace: string; readonly name: string }): readonly KubeObject[] {
  const rule = (group: string, resource: string, object: string): object => ({
    apiGroups: [group],
    apiVersions: ['*'],
    operations: ['DELETE'],
    resources: [resource],
    resourceNames: [object],
    scope: 'Cluster',
  })
  const object = `HyperConverged object "${namespace}/${name}"`
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: deletionPolicyName, labels },
      spec: {
        failurePolicy: 'Ignore',
        paramKind: { apiVersion: apiVersionOf(hyperConvergeds), kind: hyperConvergeds.kind },
        matchConstraints: {
          resourceRules: [
            rule('', 'namespaces', namespace),
            rule('apiextensions.k8s.io', 'customresourcedefinitions', groupResourceOf(hyperConvergeds)),
          ],
        },
        validations: [
          {
            // Only evaluated when there is the parameter.
            expression: 'false',
            message: `the ${object} exists: "kubectl delete -n ${namespace} hco ${name}" removes it with all components, and "steadyvm uninstall --explain" says what blocks that`,
            reason: 'Forbidden',
          },
        ],
      },
    } as KubeObject,
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: deletionPolicyName, labels },
      spec: {
        policyName: deletionPolicyName,
        paramRef: { namespace, name, parameterNotFoundAction: 'Allow' },
        validationActions: ['Deny'],
      },
    } as KubeObject,
  ]
}
