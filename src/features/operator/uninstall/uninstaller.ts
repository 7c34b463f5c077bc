import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { nodes } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Result } from '#runtime/controller/reconcile.ts'
import type { OperatorPorts } from '../ports.ts'
import { isTransient } from '../status/status-writer.ts'
import { decideUninstall, type Piece, type UninstallStep } from './decide.ts'
import { uninstallNames } from './names.ts'
import { marksOf } from './node-marks.ts'
import { observeUninstall } from './observe.ts'
import { uninstallStatus, type UninstallReport } from './report.ts'

/** Milliseconds until the cluster is read again while something is awaited. */
const lookAgainMs = 1_000
/** Limit of consecutive steps, far above their number: another actor may revert them at once. */
const mostSteps = 50

/** Removes the system when its KubeVirt object is deleted. */
export interface Uninstaller {
  /** Adds the finalizer before anything is installed. Returns the updated object. */
  hold(kubevirt: KubeVirt, signal: AbortSignal): Promise<KubeVirt>
  /** Removes the finalizer from a deleted object for which nothing is installed. */
  release(kubevirt: KubeVirt, signal: AbortSignal): Promise<void>
  /** Takes all steps that are possible now. */
  remove(kubevirt: KubeVirt, signal: AbortSignal): Promise<Result>
}

export function createUninstaller(ports: OperatorPorts): Uninstaller {
  const { client, clock, recorder } = ports

  return {
    async hold(kubevirt, signal) {
      const { finalizers = [] } = kubevirt.metadata
      if (finalizers.includes(uninstallNames.finalizer)) return kubevirt
      return writeFinalizers(kubevirt, [...finalizers, uninstallNames.finalizer], signal)
    },
    release,
    async remove(kubevirt, signal) {
      // Other finalizers belong to other controllers.
      if (!isHeld(kubevirt)) return done
      let told = kubevirt
      const tell = async (report: UninstallReport): Promise<void> => {
        const status = uninstallStatus(told, report, timestamp(clock.now()))
        if (status === undefined) return
        told = await patchStatus(client, kubeVirts, told, status, { signal })
      }
      try {
        for (let steps = 0; steps < mostSteps; steps++) {
          const step = decideUninstall(await observeUninstall(ports, kubevirt, clock.now(), signal))
          const isOver = step.do === 'finish'
          if (told.status?.phase !== 'Deleting' && !isOver)
            recorder.event(kubevirt, 'Normal', 'Uninstalling', 'The system and all of its objects are removed')
          await tell({ phase: isOver ? 'Deleted' : 'Deleting', message: step.message })
          if (isOver) {
            await release(told, signal)
            return done
          }
          await act(step, signal)
          if (step.do === 'wait' || step.do === 'strip') break
        }
        return recheckIn(lookAgainMs)
      } catch (error) {
        if (error instanceof Error && !isTransient(error))
          await tell({ phase: 'Deleting', message: 'The system is being removed', failure: error.message }).catch(() => {})
        throw error
      }
    },
  }

  async function release(kubevirt: KubeVirt, signal: AbortSignal): Promise<void> {
    if (!isHeld(kubevirt)) return
    const others = (kubevirt.metadata.finalizers ?? []).filter((finalizer) => !ours.includes(finalizer))
    await writeFinalizers(kubevirt, others, signal).catch(ignoreMissing)
  }

  function writeFinalizers(kubevirt: KubeVirt, finalizers: readonly string[], signal: AbortSignal): Promise<KubeVirt> {
    return patchIfUnchanged(client, kubeVirts, kubevirt, { metadata: { finalizers } }, { signal })
  }

  async function act(step: UninstallStep, signal: AbortSignal): Promise<void> {
    switch (step.do) {
      case 'hold':
      case 'release':
        return each(step.pieces, ({ object }) => holdDefinition(object, step.do === 'hold', signal))
      case 'delete':
        return each(step.pieces, ({ resource, object }) => {
          const { namespace = '', name = '', uid } = object.metadata ?? {}
          return client.delete(resource, { namespace, name }, { ...(uid === undefined ? {} : { preconditions: { uid } }), signal })
        })
      case 'strip':
        return each(step.nodes, (node) =>
          client.patch(nodes, { name: node.metadata.name ?? '' }, { type: 'merge', body: marksOf(node) ?? {} }, { signal }),
        )
      case 'wait':
      case 'finish':
    }
  }

  function holdDefinition(definition: Piece['object'], isWanted: boolean, signal: AbortSignal): Promise<unknown> {
    const { definitionFinalizer } = uninstallNames
    const others = (definition.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== definitionFinalizer)
    const metadata = { finalizers: isWanted ? [...others, definitionFinalizer] : others }
    return patchIfUnchanged(client, customResourceDefinitions, definition, { metadata }, { signal })
  }
}

const ours: readonly string[] = [uninstallNames.finalizer, uninstallNames.formerFinalizer]

function isHeld({ metadata }: KubeVirt): boolean {
  return metadata.finalizers?.some((finalizer) => ours.includes(finalizer)) === true
}

/** Conflicts are retried with the next observation; missing objects are removed already. */
async function each<T>(items: readonly T[], write: (item: T) => Promise<unknown>): Promise<void> {
  await Promise.all(
    items.map((item) =>
      write(item).catch((error: unknown) => {
        if (!isConflict(error)) ignoreMissing(error)
      }),
    ),
  )
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
