import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { nodes } from '#api/core/v1/resources.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import {
  componentChangesOf,
  componentDefinitions,
  hyperConvergedKey,
  kubeVirtAfter,
  toStoredVersion,
  type ComponentChange,
  type PlatformVersion,
} from '#features/hyperconverged/index.ts'
import { mergeManifest, type Change, type ChangeSummary, type Manifest, type Refusal } from '#features/plan/index.ts'

/** Prediction of edits of HyperConverged and its overrides. */
export interface PlatformPlan {
  readonly changes: readonly ChangeSummary[]
  readonly refusals: readonly Refusal[]
  readonly components: readonly ComponentChange[]
  /** The change of the KubeVirt object, by which guests are affected. */
  readonly kubevirt: readonly Change[]
}

type PlanClient = Pick<Client, 'get' | 'list' | 'patch' | 'create'>

const group = hyperConvergeds.group

/** Reports whether a manifest is an edit of the platform: a HyperConverged or ComponentOverride. */
export function isPlatformManifest({ apiVersion = '', kind }: Manifest): boolean {
  return (
    (kind === hyperConvergeds.kind && apiVersion.startsWith(`${group}/`)) ||
    (kind === componentOverrides.kind && apiVersion === apiVersionOf(componentOverrides))
  )
}

/**
 * Predicts the objects of the components after edits. The API server tries each edit with
 * `dryRun=All`, so that its defaults, policies and webhooks count, and those of the components.
 * `now`: milliseconds.
 */
export async function planPlatform(client: PlanClient, manifests: readonly Manifest[], now: number): Promise<PlatformPlan> {
  const [hyperconverged, overrides, allNodes, allKubeVirts, installed] = await Promise.all([
    found(client.get(hyperConvergeds, hyperConvergedKey)),
    found(client.list(componentOverrides)),
    client.list(nodes),
    client.list(kubeVirts),
    installedComponents(client),
  ])
  const before: PlatformVersion = { hyperconverged, overrides: overrides?.items ?? [] }
  const changes: ChangeSummary[] = []
  const refusals: Refusal[] = []
  let after = before
  for (const manifest of manifests) {
    const object = { kind: manifest.kind ?? '', name: manifest.metadata.name }
    const result = await tried(client, manifest)
    if ('messages' in result) {
      changes.push({ object, action: 'refuse' })
      refusals.push({ object, messages: result.messages })
      continue
    }
    changes.push({ object, action: result.action })
    after = withEdit(after, result.object)
  }
  const kubevirt = chooseKubeVirt(allKubeVirts.items)
  const facts = { nodes: allNodes.items, kubevirt, now, installed }
  const manifest = kubevirt === undefined ? undefined : kubeVirtAfter(before, after, { ...facts, kubevirt })
  return {
    changes,
    refusals,
    components: componentChangesOf(before, after, facts),
    kubevirt: manifest === undefined ? [] : [{ kind: 'apply', manifest: manifest as Manifest }],
  }
}

type Tried = { readonly action: 'create' | 'edit' | 'none'; readonly object: KubeObject } | { readonly messages: readonly string[] }

/** Sends an edit as kubectl apply would, as a dry run. */
async function tried(client: PlanClient, manifest: Manifest): Promise<Tried> {
  const isOverride = manifest.kind === componentOverrides.kind
  const version = (manifest.apiVersion ?? '').split('/')[1] ?? ''
  const resource = { ...(isOverride ? componentOverrides : hyperConvergeds), version } as ResourceType<KubeObject>
  const { name, namespace = hyperConvergedKey.namespace } = manifest.metadata
  const key = isOverride ? { name } : { name, namespace }
  const wanted = { ...manifest, metadata: isOverride ? manifest.metadata : { ...manifest.metadata, namespace } }
  const options = { dryRun: true } as const
  try {
    const live = await found(client.get(resource, key))
    if (live === undefined) return { action: 'create', object: await client.create(resource, wanted as KubeObject, options) }
    const patch = createMergePatch(live, mergeManifest({ ...live, kind: resource.kind, apiVersion: apiVersionOf(resource) }, wanted))
    if (patch === undefined) return { action: 'none', object: live }
    const object = await client.patch(resource, key, { type: 'merge', body: withoutGeneration(patch) }, options)
    return { action: object.metadata?.generation === live.metadata?.generation ? 'none' : 'edit', object }
  } catch (error) {
    // A missing right prevents the plan; it is no refusal of the edit.
    if (!(error instanceof StatusError) || error.reason === 'Forbidden' || error.code >= 500) throw error
    return { messages: [error.message] }
  }
}

function withoutGeneration(patch: unknown): object {
  const { metadata, ...rest } = patch as { readonly metadata?: Readonly<Record<string, unknown>> }
  const { generation: _, ...others } = metadata ?? {}
  return Object.keys(others).length === 0 ? rest : { ...rest, metadata: others }
}

function withEdit({ hyperconverged, overrides }: PlatformVersion, edited: KubeObject): PlatformVersion {
  if (edited.kind !== componentOverrides.kind) return { hyperconverged: toStoredVersion(edited) as HyperConverged, overrides }
  const others = overrides.filter(({ metadata }) => metadata.name !== edited.metadata?.name)
  return { hyperconverged, overrides: [...others, edited as ComponentOverride] }
}

/** Names of the components whose kinds are installed. */
async function installedComponents(client: PlanClient): Promise<ReadonlySet<string>> {
  const names = await Promise.all(
    Object.entries(componentDefinitions).map(async ([component, name]) => {
      const definition = await found(client.get(customResourceDefinitions, { name }))
      return isTrue(definition?.status?.conditions, 'Established') ? [component] : []
    }),
  )
  return new Set(names.flat())
}
