import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { componentNamespace } from '#api/access/component-users.ts'
import { systemLabels } from '#api/access/managed.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import type { NodeSelectorRequirement } from '#api/core/v1/affinity.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { compileCache, componentImage } from '../release/release.ts'
import { HASH_ANNOTATION } from './addons.ts'
import { componentKubeconfig } from './platform.ts'
import { PROGRAM_ANNOTATION, type StaticPodContext } from './static-pods.ts'

const name = 'virt-operator'
const [servingPort, healthPort] = [8443, 8444]

/**
 * Builds the Deployment of virt-operator on one machine, named and labelled as on a cluster, where
 * tools look for it. It is a single one that ends before its successor starts, which would wait for
 * its lease. `environment`: more variables for it. Pure.
 */
export function operatorDeployment(
  { directory, config, release, identify }: StaticPodContext,
  environment: Readonly<Record<string, string>> = {},
): Deployment {
  const selector = { 'kubevirt.io': name }
  const labels = { ...systemLabels, ...selector, 'app.kubernetes.io/version': release.version }
  const probe = { httpGet: { scheme: 'HTTPS', path: '/readyz', port: healthPort } } as const
  const first: NodeSelectorRequirement = { key: 'kubernetes.io/hostname', operator: 'In', values: [config.nodes[0] ?? ''] }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: componentNamespace, labels },
    spec: {
      replicas: 1,
      revisionHistoryLimit: 3,
      selector: { matchLabels: selector },
      strategy: { type: 'Recreate' },
      template: {
        // By the label Prometheus finds it, on a cluster.
        metadata: {
          labels: { ...labels, 'prometheus.kubevirt.io': 'true' },
          annotations: { 'steadyvm.io/own-address': 'true', [PROGRAM_ANNOTATION]: identify(name) },
        },
        spec: {
          automountServiceAccountToken: false,
          priorityClassName: 'system-cluster-critical',
          terminationGracePeriodSeconds: 10,
          tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
          affinity: {
            nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [first] } }] },
          },
          containers: [
            {
              name,
              image: componentImage(release, name),
              args: [
                `--kubeconfig=${componentKubeconfig(directory, name)}`,
                '--address=$(POD_IP)',
                `--health-port=${healthPort}`,
                `--port=${servingPort}`,
                `--platform=${directory.platform}`,
                `--releases=${directory.releases}`,
              ],
              ports: [{ name: 'metrics', containerPort: servingPort, protocol: 'TCP' }],
              env: [
                { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
                { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
                { name: 'NODE_COMPILE_CACHE', value: compileCache(release) },
                { name: 'STEADYVM_HOME', value: directory.root },
                ...Object.entries(environment).map(([variable, value]) => ({ name: variable, value })),
              ],
              startupProbe: { ...probe, periodSeconds: 1, failureThreshold: 60, timeoutSeconds: 2 },
              readinessProbe: { ...probe, periodSeconds: 10, failureThreshold: 3, timeoutSeconds: 5 },
            },
          ],
        },
      },
    },
  } as Deployment
}

/**
 * Creates the Deployment of the manifest that `up` wrote, or replaces the one of another manifest.
 * Changes of an administrator last until the manifest changes. Idempotent.
 */
export async function ensureOperator(client: Client, manifest: string): Promise<void> {
  const text = await readFile(manifest, 'utf8')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const { metadata, ...rest } = JSON.parse(text) as Deployment
  const wanted = { ...rest, metadata: { ...metadata, annotations: { [HASH_ANNOTATION]: hash } } }
  const present = await found(client.get(deployments, { namespace: componentNamespace, name }))
  if (present === undefined) await client.create(deployments, wanted).catch(ignoreConcurrent)
  else if (present.metadata.annotations?.[HASH_ANNOTATION] !== hash) {
    const { resourceVersion = '' } = present.metadata
    await client.update(deployments, { ...wanted, metadata: { ...wanted.metadata, resourceVersion } }).catch(ignoreConcurrent)
  }
}

/** Another `up` or the API server does the same at the same time. */
function ignoreConcurrent(error: unknown): void {
  if (!isAlreadyExists(error) && !isConflict(error) && !isNotFound(error)) throw error
}
