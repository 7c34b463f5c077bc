import { createHash } from 'node:crypto'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { PodSpec, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { NodePlacement } from '#api/kubevirt/v1/kubevirt.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { patched, type PatchUnusable } from './customize-patches.ts'
import type { InfraSettings } from './infra-settings.ts'

/** KubeVirt's annotation with the hash of a customized object. */
export const customizerAnnotation = 'kubevirt.io/customizer-identifier'

type Workload = DaemonSet | Deployment

/** Settings that apply to a component. */
export interface ComponentRole {
  readonly placement: 'infra' | 'workloads'
  readonly flags: 'api' | 'controller' | 'handler'
}

/**
 * Applies placement, labels, flags and patches to a workload. The annotation of the workload
 * identifies its content, that of the template its pods: scaling does not replace pods. Pure.
 */
export function customizedWorkload<T extends Workload>(
  workload: T,
  role: ComponentRole,
  settings: InfraSettings,
  onUnusable: (problem: PatchUnusable) => void,
): T {
  const { replicas, labels, customize } = settings
  const isCounted = workload.kind === 'Deployment' && role.placement === 'infra' && replicas !== undefined
  const placed = {
    ...workload,
    metadata: { ...workload.metadata, labels: { ...workload.metadata.labels, ...labels } },
    spec: { ...workload.spec, ...(isCounted ? { replicas } : {}), template: templateWith(workload.spec.template, role, settings) },
  } as T
  const result = patched(placed, customize.patches ?? [], onUnusable, role.flags === 'api' ? 1 : 0)
  const { template } = result.spec
  const marked = { ...template, metadata: marking(template.metadata, template) }
  return { ...result, metadata: marking(result.metadata, result), spec: { ...result.spec, template: marked } }
}

/** Applies labels and patches to an object that is not a workload. Pure. */
export function customized<T extends KubeObject>(
  object: T,
  { labels, customize }: InfraSettings,
  onUnusable: (problem: PatchUnusable) => void,
): T {
  const labelled = { ...object, metadata: { ...object.metadata, labels: { ...object.metadata?.labels, ...labels } } }
  const result = patched(labelled, customize.patches ?? [], onUnusable)
  return { ...result, metadata: marking(result.metadata, result) }
}

function marking<M extends KubeObject['metadata']>(metadata: M, content: object): M {
  const mark = createHash('sha1').update(JSON.stringify(content)).digest('hex')
  return { ...metadata, annotations: { ...metadata?.annotations, [customizerAnnotation]: mark } } as M
}

function templateWith(template: PodTemplateSpec, role: ComponentRole, settings: InfraSettings): PodTemplateSpec {
  const { imagePullPolicy, imagePullSecrets, labels, customize } = settings
  const flags = Object.entries(customize.flags?.[role.flags] ?? {})
  const containers = template.spec.containers.map((container) => ({
    ...container,
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    ...(flags.length === 0 ? {} : { args: argumentsWith(container.args ?? [], flags) }),
  }))
  return {
    ...template,
    metadata: { ...template.metadata, labels: { ...template.metadata?.labels, ...labels } },
    spec: {
      ...placedAt(template.spec, settings[role.placement]),
      containers,
      ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: [...imagePullSecrets] }),
    },
  }
}

/** A flag of the same name replaces ours; all others are necessary to start the component. */
function argumentsWith(args: readonly string[], flags: readonly (readonly [string, string])[]): string[] {
  const names = flags.map(([name]) => `--${name}`)
  const kept = args.filter((argument) => !names.includes(argument.split('=', 1)[0] ?? ''))
  return [...kept, ...flags.map(([name, value]) => `--${name}=${value}`)]
}

/** Merges the administrator's placement over ours. */
function placedAt(spec: PodSpec, { nodeSelector, affinity, tolerations }: NodePlacement): PodSpec {
  return {
    ...spec,
    ...(nodeSelector === undefined ? {} : { nodeSelector: { ...spec.nodeSelector, ...nodeSelector } }),
    ...(affinity === undefined ? {} : { affinity: { ...spec.affinity, ...affinity } }),
    ...(tolerations === undefined ? {} : { tolerations: [...(spec.tolerations ?? []), ...tolerations] }),
  }
}
