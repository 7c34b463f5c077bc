import { handoverDriver } from '#api/steadyvm/v1alpha1/handover-driver.ts'
import { managedLabels, systemLabels as labels } from '#api/access/managed.ts'
import { componentRoleName, componentRoles, componentSubject } from '#api/access/component-roles.ts'
import { componentRules, frontProxyReader } from '#api/access/component-rules.ts'
import { agentPolicies } from './agent-policies.ts'
import { fieldVariable, metricsPort, monitoringLabel, restrictedContainer, restrictedPod } from './install-strategy.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/** Parameters of the printed manifests. */
export interface Installation {
  readonly version: string
  readonly registry: string
  /** Registry that the operator uses by default. */
  readonly ownRegistry: string
  readonly namespace: string
  /** Folder of the kubelets. Default: Kubernetes' own. */
  readonly kubeletRoot?: string
  /** True if virt-operator applies the {@link unbundledManifests} itself. Default: it does not. */
  readonly appliesUnbundled?: boolean
  /** All CRDs that the components serve and need. */
  readonly definitions: readonly KubeObject[]
}

const rbacGroup = 'rbac.authorization.k8s.io'
const rbacVersion = `${rbacGroup}/v1`
const operator = 'virt-operator'

/**
 * Renders what `steadyvm install` prints: namespace, CRDs, RBAC, policies, virt-operator and a
 * KubeVirt object, for which the operator installs the rest. The order allows to apply them one by
 * one. Pure.
 */
export function installationManifests(installation: Installation): readonly KubeObject[] {
  const { namespace, definitions, registry, ownRegistry } = installation
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { ...labels, 'pod-security.kubernetes.io/enforce': 'privileged' } },
    },
    ...definitions,
    ...Object.keys(componentRules).flatMap((component) => accessOf(component as keyof typeof componentRules, namespace)),
    ...unbundledManifests(namespace),
    operatorOf(installation),
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: operator, namespace, labels }, spec: budget } as KubeObject,
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'KubeVirt',
      metadata: { name: 'kubevirt', namespace, labels },
      spec: registry === ownRegistry ? {} : { imageRegistry: registry },
    } as KubeObject,
  ]
}

/**
 * Returns the objects that a bundle of the Operator Lifecycle Manager cannot contain: a role
 * binding of another namespace, admission policies and a CSI driver. Pure.
 */
export function unbundledManifests(namespace: string): readonly KubeObject[] {
  return [
    {
      apiVersion: rbacVersion,
      kind: 'RoleBinding',
      metadata: { name: `steadyvm-${frontProxyReader.component}`, namespace: frontProxyReader.namespace, labels },
      roleRef: { apiGroup: rbacGroup, kind: 'Role', name: frontProxyReader.role },
      subjects: [componentSubject(frontProxyReader.component, namespace)],
    } as KubeObject,
    ...agentPolicies(namespace),
    handoverDriverObject,
  ]
}

/**
 * The kubelet tells the driver the pod of each volume. Every namespace may use the driver: it gives
 * no rights on the node.
 */
const handoverDriverObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: handoverDriver, labels: { ...labels, 'security.kubernetes.io/csi-ephemeral-volume-profile': 'restricted' } },
  spec: { attachRequired: false, podInfoOnMount: true, fsGroupPolicy: 'None', volumeLifecycleModes: ['Ephemeral'] },
} as KubeObject

const budget = { minAvailable: 1, selector: { matchLabels: { 'kubevirt.io': operator } } }

/** Service account, roles and bindings of a component. */
function accessOf(component: keyof typeof componentRules, namespace: string): KubeObject[] {
  const { cluster, namespace: own } = componentRules[component]
  const name = `steadyvm-${component}`
  // The operator finds the role by this name and extends it when a newer version needs more.
  const role = componentRoleName(component)
  const subjects = [componentSubject(component, namespace)]
  const roleRef = (kind: string): object => ({ apiGroup: rbacGroup, kind, name: role })
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: component, namespace, labels } },
    {
      apiVersion: rbacVersion,
      kind: 'ClusterRole',
      metadata: { name: role, labels: component === operator ? labels : managedLabels },
      rules: cluster,
    },
    {
      apiVersion: rbacVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name, labels },
      roleRef: roleRef('ClusterRole'),
      subjects,
    },
    ...(own.length === 0
      ? []
      : [
          ...componentRoles(namespace).filter(({ metadata }) => metadata.name === role),
          { apiVersion: rbacVersion, kind: 'RoleBinding', metadata: { name, namespace, labels }, roleRef: roleRef('Role'), subjects },
        ]),
  ]
  return objects as unknown as KubeObject[]
}

function operatorOf({ version, registry, ownRegistry, namespace, kubeletRoot, appliesUnbundled }: Installation): KubeObject {
  const [servingPort, healthPort] = [8443, 8444]
  const probe = (path: string): object => ({ httpGet: { scheme: 'HTTPS', path, port: healthPort } })
  const selector = { 'kubevirt.io': operator }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: operator, namespace, labels: { ...labels, ...selector, 'app.kubernetes.io/version': version } },
    spec: {
      // One leads; the other one stands by on another node where possible.
      replicas: 2,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: { ...labels, ...monitoringLabel, ...selector, 'app.kubernetes.io/version': version } },
        spec: {
          serviceAccountName: operator,
          priorityClassName: 'system-cluster-critical',
          tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 1, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: selector } } },
              ],
            },
          },
          securityContext: restrictedPod,
          containers: [
            {
              name: operator,
              image: `${registry}/${operator}:${version}`,
              args: [
                '--address=$(POD_IP)',
                `--port=${servingPort}`,
                `--health-port=${healthPort}`,
                // The KubeVirt object of HyperConverged names no registry.
                ...(registry === ownRegistry ? [] : [`--registry=${registry}`]),
                ...(kubeletRoot === undefined ? [] : [`--kubelet-root=${kubeletRoot}`]),
                ...(appliesUnbundled === true ? ['--olm=true'] : []),
              ],
              ports: [{ name: metricsPort, containerPort: servingPort, protocol: 'TCP' }],
              env: [fieldVariable('POD_NAME', 'metadata.name'), fieldVariable('POD_IP', 'status.podIP')],
              resources: { requests: { cpu: '50m', memory: '150Mi' } },
              securityContext: restrictedContainer,
              livenessProbe: { ...probe('/healthz'), periodSeconds: 20, failureThreshold: 6, timeoutSeconds: 10 },
              readinessProbe: { ...probe('/readyz'), periodSeconds: 10, failureThreshold: 3, timeoutSeconds: 5 },
            },
          ],
        },
      },
    },
  }
  return deployment as unknown as Deployment
}
