import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { parseLabelSelector } from '#apimachinery/selectors/label-selector.ts'
import {
  changeableResource,
  ImpossibleChange,
  plan as planChanges,
  readClusterState,
  type Change,
  type Manifest,
  type Plan,
  type ClusterState,
} from '#features/plan/index.ts'
import type { ComponentChange } from '#features/hyperconverged/index.ts'
import { isPlatformManifest, planPlatform, type PlatformPlan } from '../system/plan-hyperconverged.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { readManifests } from '#cli/arguments/manifests.ts'
import { paintFor } from '#cli/render/terminal.ts'
import { renderComponents } from '#cli/render/component-changes.ts'
import { renderPlan } from '#cli/render/plan.ts'
import { print, vmResourceName, type OutputFormat } from '#cli/render/print.ts'
import { progressOn, type Progress } from '#cli/render/progress.ts'
import { parseSwitch, parseVmKey } from '#cli/arguments/targets.ts'

/** Flags of `steadyvm plan`. */
export interface PlanFlags extends ClusterFlags {
  readonly file?: readonly string[]
  readonly switch?: readonly string[]
  readonly refresh?: readonly string[]
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly selector?: string
  readonly output: OutputFormat
}

/**
 * Predicts the effect of changes on VMs and writes nothing. Exit code 2 when a VM changes, 1 when
 * the API server would reject a change.
 */
export async function plan(this: CliContext, flags: PlanFlags): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const manifests = await readManifests(this, flags.file ?? [])
  const ofPlatform = manifests.filter(isPlatformManifest)
  const platform = ofPlatform.length === 0 ? undefined : await planPlatform(cluster.client, ofPlatform, this.now())
  const ofVms = manifests.filter((manifest) => !isPlatformManifest(manifest))
  const changes = [...(platform?.kubevirt ?? []), ...changesOf(this, ofVms, flags, flags.namespace ?? cluster.namespace)]
  if (changes.length === 0 && platform === undefined)
    throw new CommandError('Nothing to plan: name a change with -f FILE, --switch VM=NAME or --refresh VM')
  const selector = parseLabelSelector(flags.selector ?? '')
  using progress = progressOn(this)
  const { state, isNarrowed } = await read(this, cluster, { flags, changes, progress })
  const narrowTo =
    flags.allNamespaces || (flags.namespace === undefined && !isNarrowed) ? undefined : (flags.namespace ?? cluster.namespace)
  const selects = ({ metadata }: VirtualMachine): boolean =>
    selector.matches(metadata.labels) && (narrowTo === undefined || metadata.namespace === narrowTo)
  const guests = await predicted(state, changes, {
    selects,
    onProgress: (done, total) => progress.show(`${done} of ${total} VMs`),
  })
  progress[Symbol.dispose]()
  const result: WholePlan = platform === undefined ? guests : withPlatform(guests, platform)
  print(this, flags.output, {
    kind: 'Plan',
    document: result,
    names: result.virtualMachines.filter(({ effect }) => effect !== 'unchanged').map(({ name }) => vmResourceName(name)),
    text: (isWide) => {
      const options = { isWide, paint: paintFor(this, 'stdout') }
      return renderPlan(result, options, result.components === undefined ? '' : renderComponents(result.components, options))
    },
  })
  this.process.exitCode = exitCodeOf(result)
}

/** A plan that may also have the components of HyperConverged. */
interface WholePlan extends Plan {
  readonly components?: readonly ComponentChange[]
}

/** The KubeVirt object follows HyperConverged: its change is one of the components. */
function withPlatform(guests: Plan, { changes, refusals, components, kubevirt }: PlatformPlan): WholePlan {
  return {
    ...guests,
    changes: [...changes, ...guests.changes.slice(kubevirt.length)],
    refusals: [...refusals, ...guests.refusals],
    components,
  }
}

function exitCodeOf({ refusals, summary, virtualMachines, components = [] }: WholePlan): number {
  if (refusals.length > 0) return EXIT.error
  if (components.length > 0) return EXIT.findings
  return summary.unchanged === virtualMachines.length ? EXIT.ok : EXIT.findings
}

async function predicted(...args: Parameters<typeof planChanges>): Promise<Plan> {
  try {
    return await planChanges(...args)
  } catch (error) {
    if (error instanceof ImpossibleChange) throw new CommandError(error.message, undefined, { cause: error })
    throw error
  }
}

function changesOf(context: CliContext, manifests: readonly Manifest[], flags: PlanFlags, namespace: string): readonly Change[] {
  return [
    ...manifests.flatMap((manifest): Change[] => {
      const resource = changeableResource(manifest.apiVersion, manifest.kind)
      if (resource === undefined) {
        context.process.stderr.write(
          `warning: ${manifest.kind} "${manifest.metadata.name}" is left out: what a VM gets does not depend on it\n`,
        )
        return []
      }
      const metadata = resource.namespaced
        ? { ...manifest.metadata, namespace: manifest.metadata.namespace ?? namespace }
        : manifest.metadata
      return [{ kind: 'apply', manifest: { ...manifest, metadata } }]
    }),
    ...(flags.switch ?? []).map((text): Change => ({ kind: 'switch', ...parseSwitch(text, namespace) })),
    ...(flags.refresh ?? []).map((word): Change => ({ kind: 'refresh', vm: parseVmKey(word, namespace) })),
  ]
}

/** A cluster-wide object affects VMs in all namespaces, a namespaced one those of its namespace. */
function namespacesOf(changes: readonly Change[]): ReadonlySet<string | undefined> {
  return new Set(
    changes.map((change) => {
      if (change.kind !== 'apply') return change.vm.namespace
      return change.manifest.kind === 'KubeVirt' ? undefined : change.manifest.metadata.namespace
    }),
  )
}

interface Reading {
  readonly flags: PlanFlags
  readonly changes: readonly Change[]
  readonly progress: Progress
}

async function read(
  context: CliContext,
  cluster: ChosenCluster,
  { flags, changes, progress }: Reading,
): Promise<{ state: ClusterState; isNarrowed: boolean }> {
  const options = {
    signal: context.signal,
    onGap: (message: string) => context.process.stderr.write(`warning: ${message}\n`),
    onProgress: (objects: number) => progress.show(`${objects} objects read`),
  }
  const [only, ...others] = namespacesOf(changes)
  const needed = flags.allNamespaces || only === undefined || others.length > 0 ? undefined : only
  try {
    return {
      state: await readClusterState(cluster.client, needed === undefined ? options : { ...options, namespace: needed }),
      isNarrowed: false,
    }
  } catch (error) {
    const mayNarrow = error instanceof StatusError && error.reason === 'Forbidden' && needed === undefined && !flags.allNamespaces
    if (!mayNarrow) throw error
    const namespace = flags.namespace ?? cluster.namespace
    context.process.stderr.write(`warning: only VMs of namespace "${namespace}" are planned: ${error.message}\n`)
    return { state: await readClusterState(cluster.client, { ...options, namespace }), isNarrowed: true }
  }
}
