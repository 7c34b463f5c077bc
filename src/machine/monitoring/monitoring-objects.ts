import { createHash } from 'node:crypto'
import { componentNamespace } from '#api/access/component-users.ts'
import { systemLabels } from '#api/access/managed.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import { serviceAccounts } from '#api/core/v1/resources.ts'
import { clusterRoleBindings } from '#api/rbac/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { componentImage, type Release } from '../release/release.ts'

/** Name of the pod's component, its service account and its rights. */
export const prometheusName = 'prometheus'

/** Parameters of {@link monitoringObjects}. */
export interface MonitoringOptions {
  readonly release: Release
  /** Path of the program. */
  readonly program: string
  /** Folder of its configuration and data. */
  readonly folder: string
  /** Loopback address and port that it listens on. */
  readonly address: string
  /** Text of the configuration and the rules: a change of them replaces the pod. */
  readonly configuration: string
  readonly node: string
}

/** An object beside its kind. */
export interface MonitoringObject {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject & { readonly metadata: { readonly name: string; readonly namespace?: string } }
}

const metadata = { name: prometheusName, namespace: componentNamespace, labels: systemLabels }
const rbacGroup = 'rbac.authorization.k8s.io'
const rbacVersion = `${rbacGroup}/v1`
const subjects = [{ kind: 'ServiceAccount', name: prometheusName, namespace: componentNamespace }]

/**
 * Builds the objects by which Prometheus runs, in the order of their creation: it may read metrics,
 * and nothing else. Pure.
 */
export function monitoringObjects(options: MonitoringOptions): readonly MonitoringObject[] {
  const all = [
    [serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }],
    [
      clusterRoleBindings,
      {
        apiVersion: rbacVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name: `steadyvm-${prometheusName}`, labels: systemLabels },
        roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'system:monitoring' },
        subjects,
      },
    ],
    [deployments, deploymentOf(options)],
  ] as const
  return all.map(([resource, object]) => ({ resource, object }) as unknown as MonitoringObject)
}

function deploymentOf({ release, program, folder, address, configuration, node }: MonitoringOptions): Deployment {
  const [host = '', port = ''] = address.split(':')
  const selector = { 'kubevirt.io': prometheusName }
  const labels = { ...systemLabels, ...selector }
  const probe = { httpGet: { scheme: 'HTTP', host, path: '/-/ready', port: Number(port) } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, labels },
    spec: {
      replicas: 1,
      revisionHistoryLimit: 1,
      selector: { matchLabels: selector },
      // Two could not share the folder with the data.
      strategy: { type: 'Recreate' },
      template: {
        metadata: {
          labels,
          annotations: {
            // The script finds the token in the folder of the pod.
            'steadyvm.io/mounts': 'none',
            'steadyvm.io/configuration': createHash('sha256').update(configuration).digest('hex').slice(0, 12),
          },
        },
        spec: {
          serviceAccountName: prometheusName,
          automountServiceAccountToken: false,
          hostNetwork: true,
          terminationGracePeriodSeconds: 10,
          nodeSelector: { 'kubernetes.io/hostname': node },
          tolerations: [{ operator: 'Exists' }],
          containers: [
            {
              name: prometheusName,
              image: componentImage(release, prometheusName),
              env: [
                { name: 'PROMETHEUS', value: program },
                { name: 'MONITORING_DIR', value: folder },
                { name: 'PROMETHEUS_ADDRESS', value: address },
              ],
              startupProbe: { ...probe, periodSeconds: 1, failureThreshold: 120, timeoutSeconds: 2 },
              readinessProbe: { ...probe, periodSeconds: 10, failureThreshold: 3, timeoutSeconds: 5 },
            },
          ],
          volumes: [{ name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } }] } }],
        },
      },
    },
  } as Deployment
}
