import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VolumeMount } from '#api/core/v1/container.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import type { PlannedTask, WorkspaceBinding } from '../graph/plan.ts'
import type { Run } from '../run/run.ts'
import { substituteText, type ValueOf } from '../substitution/substitute.ts'
import { claimName, ownerOf, runLabel } from './names.ts'

/** Where steps write results, as in Tekton. */
export const resultsFolder = '/tekton/results'
/** Where steps find their scripts, as in Tekton. */
export const scriptsFolder = '/tekton/scripts'
/** Volume of the results. */
export const resultsVolume = 'tekton-internal-results'
const scriptsVolume = 'tekton-internal-scripts'

/** Returns the annotation that holds the script of a step. */
export function scriptAnnotation(index: number): string {
  return `steadyvm.io/script-${index}`
}

/** A workspace of a task, and where its steps see it. */
export interface BoundWorkspace {
  readonly name: string
  readonly path: string
  readonly isReadOnly: boolean
  readonly subPath?: string
  readonly volume: Volume
}

/** Returns the workspaces of a task that are bound. Pure. */
export function boundWorkspaces(task: PlannedTask, run: Run, values: ValueOf): readonly BoundWorkspace[] {
  const { workspaces: bindings } = run.plan
  return task.spec.workspaces.flatMap((spec, index): readonly BoundWorkspace[] => {
    const use = task.workspaces.find(({ name }) => name === spec.name)
    const binding = use === undefined ? undefined : bindings[use.workspace]
    if (use === undefined || binding === undefined) return []
    const within = [binding.kind === 'claim' || binding.kind === 'template' ? binding.subPath : undefined, use.subPath].filter(
      (part) => part !== undefined,
    )
    const subPath = within.length === 0 ? undefined : substituteText(within.join('/'), values)
    return [
      {
        name: spec.name,
        path: spec.mountPath ?? `/workspace/${spec.name}`,
        isReadOnly: spec.isReadOnly || binding.kind === 'configmap' || binding.kind === 'secret',
        ...(subPath === undefined ? {} : { subPath }),
        volume: { name: `tekton-internal-workspace-${index}`, ...sourceOf(binding, claimName(run, use.workspace)) },
      },
    ]
  })
}

function sourceOf(binding: WorkspaceBinding, ownClaim: string): Omit<Volume, 'name'> {
  switch (binding.kind) {
    case 'claim':
      return { persistentVolumeClaim: { claimName: binding.name } }
    case 'template':
      return { persistentVolumeClaim: { claimName: ownClaim } }
    case 'emptydir':
      return { emptyDir: {} }
    case 'configmap':
      return { configMap: { name: binding.name } }
    case 'secret':
      return { secret: { secretName: binding.name } }
    case 'folder':
      return { hostPath: { path: binding.path, type: 'Directory' } }
  }
}

/** Returns the claims that a run creates for the workspaces of a task. Pure. */
export function ownClaims(run: Run, task: PlannedTask): readonly PersistentVolumeClaim[] {
  return task.workspaces.flatMap(({ workspace }): readonly PersistentVolumeClaim[] => {
    const binding = run.plan.workspaces[workspace]
    if (binding?.kind !== 'template') return []
    const metadata = {
      name: claimName(run, workspace),
      namespace: run.namespace,
      labels: { 'app.kubernetes.io/managed-by': 'steadyvm', [runLabel]: run.name },
      ownerReferences: [ownerOf(run)],
    }
    return [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: binding.spec }]
  })
}

/**
 * Returns the volumes that a task has beside its own, and the mounts of each of its steps. Scripts
 * lie in annotations of the pod, which the kubelet writes to files: no other object is needed.
 */
export function taskVolumes(
  { spec }: PlannedTask,
  workspaces: readonly BoundWorkspace[],
  steps: number,
): { readonly volumes: readonly Volume[]; readonly mounts: readonly VolumeMount[] } {
  const items = spec.steps
    .slice(0, steps)
    .flatMap(({ script }, index) =>
      script === undefined
        ? []
        : [{ path: String(index), mode: 0o755, fieldRef: { fieldPath: `metadata.annotations['${scriptAnnotation(index)}']` } }],
    )
  const hasResults = spec.results.length > 0
  return {
    volumes: [
      ...(hasResults ? [{ name: resultsVolume, emptyDir: {} }] : []),
      ...(items.length === 0 ? [] : [{ name: scriptsVolume, downwardAPI: { items } }]),
      ...workspaces.map(({ volume }) => volume),
    ],
    mounts: [
      ...(hasResults ? [{ name: resultsVolume, mountPath: resultsFolder }] : []),
      ...(items.length === 0 ? [] : [{ name: scriptsVolume, mountPath: scriptsFolder, readOnly: true }]),
      ...workspaces.map(({ volume, path, isReadOnly, subPath }) => ({
        name: volume.name,
        mountPath: path,
        ...(isReadOnly ? { readOnly: true } : {}),
        ...(subPath === undefined ? {} : { subPath }),
      })),
    ],
  }
}
