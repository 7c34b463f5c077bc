import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ApiException,
  CoreV1Api,
  type KubeConfig,
  KubernetesObjectApi,
  type KubernetesObject,
  PatchStrategy,
} from '@kubernetes/client-node'
import { parseAllDocuments } from 'yaml'
import { eventually } from './machine.ts'

/** An installed chart. */
export interface Release {
  readonly name: string
  readonly namespace: string
  /** Values by path: `webhook.url`. */
  readonly values: Readonly<Record<string, string | number>>
}

/** Helm's installation order of kinds; other kinds come last. */
const installOrder = [
  'Namespace',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'ClusterRole',
  'ClusterRoleBinding',
  'Service',
  'Deployment',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]

function rank({ kind = '' }: KubernetesObject): number {
  const index = installOrder.indexOf(kind)
  return index < 0 ? installOrder.length : index
}

function render(folder: string, release: Release): KubernetesObject[] {
  return readdirSync(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(/\{\{ \.(\w+)\.([\w.]+) \}\}/g, (_, scope: string, path: string) => {
      if (scope === 'Values') return String(release.values[path] ?? '')
      return path === 'Name' ? release.name : release.namespace
    })
    return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject)
  })
}

function inNamespace(object: KubernetesObject, namespace: string): KubernetesObject {
  return { ...object, metadata: Object.assign({ namespace }, object.metadata) }
}

function header(object: KubernetesObject): KubernetesObject & { metadata: { name: string } } {
  return { ...object, metadata: Object.assign({ name: '' }, object.metadata) }
}

/** Sends the requests of Helm for a chart, in Helm's order: for machines without Helm. */
export function createChart(config: KubeConfig, folder: string) {
  const api = KubernetesObjectApi.makeApiClient(config)
  const core = config.makeApiClient(CoreV1Api)
  const manifests = (release: Release): KubernetesObject[] =>
    render(join(folder, 'templates'), release)
      .map((object) => inNamespace(object, release.namespace))
      .toSorted((a, b) => rank(a) - rank(b))
  const exists = async (object: KubernetesObject): Promise<boolean> => {
    try {
      await api.read(header(object))
      return true
    } catch (error) {
      if (error instanceof ApiException && error.code === 404) return false
      throw error
    }
  }
  const record = (release: Release, revision: number, status: string): Promise<unknown> =>
    core.createNamespacedSecret({
      namespace: release.namespace,
      body: {
        metadata: {
          name: `sh.helm.release.v1.${release.name}.v${revision}`,
          labels: { name: release.name, owner: 'helm', status, version: String(revision) },
        },
        type: 'helm.sh/release.v1',
        stringData: { release: 'H4sI' },
      },
    })

  return {
    manifests,
    async install(release: Release): Promise<void> {
      for (const definition of render(join(folder, 'crds'), release)) {
        await api.create(definition)
        const established = async (): Promise<boolean> => {
          const { status } = (await api.read(header(definition))) as { status?: { conditions?: { type: string; status: string }[] } }
          return status?.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True') ?? false
        }
        await eventually(established, () => `${definition.metadata?.name} is not established`)
      }
      await record(release, 1, 'deployed')
      for (const object of manifests(release)) await api.create(object)
    },
    /**
     * Patches existing objects: with strategic merge patches for built-in kinds, and merge patches
     * for custom kinds.
     */
    async upgrade(release: Release, revision: number): Promise<void> {
      await record(release, revision, 'deployed')
      for (const object of manifests(release)) {
        const strategy = object.apiVersion === 'chart.example/v1' ? PatchStrategy.MergePatch : PatchStrategy.StrategicMergePatch
        if (await exists(object)) await api.patch(object, undefined, undefined, undefined, undefined, strategy)
        else await api.create(object)
      }
    },
    /** Deletes all objects except CRDs, as Helm does. */
    async uninstall(release: Release): Promise<void> {
      for (const object of manifests(release).toReversed()) {
        await api.delete(object, undefined, undefined, undefined, undefined, 'Background')
      }
      await core.deleteCollectionNamespacedSecret({ namespace: release.namespace, labelSelector: `owner=helm,name=${release.name}` })
    },
    async remaining(release: Release): Promise<string[]> {
      const found: string[] = []
      for (const object of manifests(release)) if (await exists(object)) found.push(`${object.kind}/${object.metadata?.name}`)
      return found
    },
  }
}
