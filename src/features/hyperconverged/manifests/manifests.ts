import { hyperConvergedRules } from '#api/access/hyperconverged-rules.ts'
import { systemLabels } from '#api/access/managed.ts'
import { componentSubject } from '#api/access/component-roles.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, groupResourceOf } from '#apimachinery/meta/resource-type.ts'
import { fieldVariable, restrictedContainer, restrictedPod } from '#features/operator/index.ts'
import { hyperConvergedKey, lastAppliedName, operatorCertificates, operatorName } from '../names.ts'
import { metricsPortName, monitoringKinds } from '../observability/monitoring.ts'
import { imageRights, imageRightsName } from '../components/boot-images/image-rights.ts'
import { bootImageNamespace, importCronKind } from '../components/boot-images/import-crons.ts'
import { components, type ManagedKind } from '../components/rendering/components.ts'
import { workloadImageVariables, workloadObjectNames, workloadRules } from '../components/workloads/workload-rights.ts'
import { registrationNames } from '../webhooks/registrations.ts'
import { deletionPolicy } from './deletion-policy.ts'
import { singletonPolicy } from './singleton-policy.ts'

/** Parameters of the manifests. */
export interface HyperConvergedInstallation {
  readonly version: string
  readonly registry: string
  /** CRDs of HyperConverged and ComponentOverride. */
  readonly definitions: readonly KubeObject[]
  /** Images of the workloads that the operator may deploy, by their names. Default: none. */
  readonly workloadImages?: Readonly<Record<string, string>>
  /** More variables for the operator. Default: none. */
  readonly environment?: Readonly<Record<string, string>>
}

const { namespace } = hyperConvergedKey
const labels = { ...systemLabels, 'kubevirt.io': operatorName }
const [webhookPort, healthPort] = [8443, 8444]

/**
 * Renders the operator of HyperConverged with its CRD, rights and policies, for a cluster on which
 * virt-operator is installed. It registers its webhooks itself once it answers. Pure.
 */
export function hyperConvergedManifests(installation: HyperConvergedInstallation): readonly KubeObject[] {
  return [...installation.definitions, ...access(installation), ...hyperConvergedPolicies, service, deployment(installation)]
}

/** Admission policies, which hold without the operator, too. */
export const hyperConvergedPolicies: readonly KubeObject[] = [...singletonPolicy(hyperConvergedKey), ...deletionPolicy(hyperConvergedKey)]

/** The object with which a platform begins: everything has its default. */
export const defaultHyperConverged: KubeObject = {
  apiVersion: apiVersionOf(hyperConvergeds),
  kind: hyperConvergeds.kind,
  metadata: { ...hyperConvergedKey, labels: systemLabels },
  spec: {},
} as KubeObject

function access({ workloadImages = {} }: HyperConvergedInstallation): readonly KubeObject[] {
  const workloads = Object.keys(workloadImages)
  const rules = hyperConvergedRules({
    crd: groupResourceOf(hyperConvergeds),
    webhooks: registrationNames,
    certificates: Object.values(operatorCertificates),
    components: [...components, importCronKind].map(({ group, plural, objectName, ...kind }: ManagedKind) => ({
      group,
      plural,
      objectName: kind.adopts === true || kind.isEverywhere === true ? undefined : objectName,
    })),
    namespaces: [bootImageNamespace],
    images: { name: imageRightsName, rules: imageRights },
    monitoring: monitoringKinds.map(({ objectName }) => objectName),
    workloads: workloadObjectNames(namespace),
    lastApplied: lastAppliedName,
  })
  const apiGroup = 'rbac.authorization.k8s.io'
  const name = `steadyvm-${operatorName}`
  const subjects = [componentSubject(operatorName, namespace)]
  const role = (kind: 'ClusterRole' | 'Role', place: object, own: object, roleName = name): readonly object[] => [
    { apiVersion: `${apiGroup}/v1`, kind, metadata: { name: roleName, ...place, labels: systemLabels }, rules: own },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: `${kind}Binding`,
      metadata: { name: roleName, ...place, labels: systemLabels },
      roleRef: { apiGroup, kind, name: roleName },
      subjects,
    },
  ]
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: operatorName, namespace, labels: systemLabels } },
    ...role('ClusterRole', {}, rules.cluster),
    // Also without images: applying the manifests again then takes the rights back.
    ...role('ClusterRole', {}, workloadRules(namespace, workloads), `steadyvm-workloads-${operatorName}`),
    ...role('Role', { namespace }, rules.namespace),
  ] as KubeObject[]
}

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: operatorName, namespace, labels },
  spec: {
    selector: { 'kubevirt.io': operatorName },
    ports: [
      { name: 'https', port: 443, protocol: 'TCP', targetPort: webhookPort },
      { name: metricsPortName, port: webhookPort, protocol: 'TCP', targetPort: webhookPort },
    ],
  },
} as KubeObject

function deployment({ version, registry, workloadImages = {}, environment = {} }: HyperConvergedInstallation): KubeObject {
  const probe = (path: string): object => ({ httpGet: { scheme: 'HTTP', path, port: healthPort } })
  const all = { ...labels, 'app.kubernetes.io/version': version }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: operatorName, namespace, labels: all },
    spec: {
      replicas: 1,
      selector: { matchLabels: { 'kubevirt.io': operatorName } },
      template: {
        metadata: {
          labels: all,
          // On one machine, pods share its ports otherwise.
          annotations: { 'steadyvm.io/own-address': 'true' },
        },
        spec: {
          serviceAccountName: operatorName,
          priorityClassName: 'system-cluster-critical',
          tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
          securityContext: restrictedPod,
          containers: [
            {
              name: operatorName,
              image: `${registry}/${operatorName}:${version}`,
              args: ['--address=$(POD_IP)', `--port=${webhookPort}`, `--health-port=${healthPort}`],
              ports: [{ name: metricsPortName, containerPort: webhookPort, protocol: 'TCP' }],
              env: [
                fieldVariable('POD_NAME', 'metadata.name'),
                fieldVariable('POD_IP', 'status.podIP'),
                fieldVariable('POD_IPS', 'status.podIPs'),
                ...Object.entries(workloadImages).map(([name, value]) => ({ name: workloadImageVariables.get(name), value })),
                ...Object.entries(environment).map(([name, value]) => ({ name, value })),
              ],
              resources: { requests: { cpu: '50m', memory: '120Mi' } },
              securityContext: restrictedContainer,
              startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 60, timeoutSeconds: 2 },
              livenessProbe: { ...probe('/healthz'), periodSeconds: 20, failureThreshold: 6, timeoutSeconds: 10 },
              readinessProbe: { ...probe('/readyz'), periodSeconds: 2, failureThreshold: 3, timeoutSeconds: 5 },
            },
          ],
        },
      },
    },
  } as unknown as KubeObject
}
