import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { PlatformUpgrade, RemovedObject } from '#api/hco/v1/status.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { operatorName } from '../../names.ts'
import type { Outcome } from '../../reconcile/act.ts'
import type { Ports } from '../../reconcile/ports.ts'
import { Attempts } from './attempts.ts'
import { componentUpgradesOf } from './component-upgrades.ts'
import { decideUpgrade, pendingRemovals, withRecords, type Refusal, type UpgradeStep } from './decide.ts'
import { annotationOf, journalChange, patchesAnnotation, recordedVersion } from './journal.ts'
import { namespaceVariable, type ObjectRemoval } from './patches/patch-file.ts'
import { refusedConditions, stuckConditions, upgradingConditions, type UpgradeReport } from './report.ts'

/** How far the steps before the components are. */
export type Preparation =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly upgrade: PlatformUpgrade }
  /** The spec could not be patched. `isFinal`: it was refused. */
  | { readonly kind: 'stuck'; readonly upgrade: PlatformUpgrade; readonly isFinal: boolean }
  | { readonly kind: 'running'; readonly upgrade: PlatformUpgrade }

/** Brings the platform from the recorded version to the one of the operator. */
export interface Upgrader {
  /** Takes the steps before the components. Returns the object after them. */
  prepare(
    hyperconverged: HyperConverged,
    signal: AbortSignal,
  ): Promise<{ readonly hyperconverged: HyperConverged; readonly preparation: Preparation }>
  /** Takes the steps after the components, and says what the status becomes. */
  conclude(
    hyperconverged: HyperConverged,
    preparation: Preparation,
    outcomes: readonly Outcome[],
    signal: AbortSignal,
  ): Promise<UpgradeReport>
  /** Milliseconds until a failed step is due again; undefined for none. */
  waitMs(): number | undefined
}

/** Dependencies of {@link createUpgrader}. */
export type UpgraderPorts = Pick<
  Ports,
  'client' | 'recorder' | 'clock' | 'log' | 'random' | 'version' | 'namespace' | 'environment' | 'upgradeRules'
>

/** True while nothing may be written to the components. Pure. */
export function holdsComponents({ kind }: Preparation): boolean {
  return kind === 'refused' || kind === 'stuck'
}

/** The API server does not keep what is written, as if another program changed it on the way. */
class UpgradeNotKept extends Error {
  override readonly name = 'UpgradeNotKept'
}

/** Steps that are attempted again. */
const patching = 'patch the spec'
const rewriting = 'patch the spec once more'
/** Writes of the spec in one upgrade that follow each other at once. */
const promptRewrites = 3
/** Steps before the components, with those that a newer version of the file adds. */
const mostSteps = 10
/** Codes of answers that say nothing about the patch. */
const transientCodes: readonly number[] = [404, 408, 429]

/** Creates the upgrader. All that it keeps in memory are the times of the next attempts. */
export function createUpgrader(ports: UpgraderPorts): Upgrader {
  const { client, recorder, clock, log, version: own, namespace, environment, upgradeRules: rules } = ports
  const attempts = new Attempts(ports)
  /** Generation of the spec that the last attempt to patch it was made on. */
  let attempted: number | undefined
  let rewrites = 0
  let isProblemTold = false
  if (rules.problems.length > 0)
    log.error({ problems: rules.problems }, 'upgradePatches.json is wrong: an upgrade to this version is refused until it is right')

  const tellProblem = (hyperconverged: HyperConverged): void => {
    if (isProblemTold || rules.problems.length === 0) return
    isProblemTold = true
    const message = `upgradePatches.json of ${own} is wrong, and an upgrade to this version is refused: ${rules.problems.join('; ')}`
    recorder.event(hyperconverged, 'Warning', 'InitError', message)
  }

  /** The resource version makes a step fail that was decided from an older object. */
  const writeJournal = (
    hyperconverged: HyperConverged,
    upgrade: PlatformUpgrade,
    conditions: readonly Condition[],
    signal: AbortSignal,
  ): Promise<HyperConverged> => {
    const now = timestamp(clock.now())
    const list = conditions.reduce<Condition[]>((all, one) => setCondition(all, one, now), hyperconverged.status?.conditions ?? [])
    const status = { conditions: list, steadyvm: journalChange(upgrade) }
    return patchStatus(client, hyperConvergeds, hyperconverged, status, { ownedConditions: conditions.map(({ type }) => type), signal })
  }

  /**
   * The records travel with the spec: whatever happens afterwards, both are stored or neither is.
   * Then they are written to the status, from which the next operator knows them, too.
   */
  const patch = async (
    hyperconverged: HyperConverged,
    step: Extract<UpgradeStep, { readonly do: 'patch' }>,
    signal: AbortSignal,
  ): Promise<HyperConverged> => {
    const change = {
      spec: createMergePatch(hyperconverged.spec ?? {}, step.spec),
      metadata: { annotations: { [patchesAnnotation]: annotationOf(step.records) } },
    }
    const patched = await patchIfUnchanged(client, hyperConvergeds, hyperconverged, change, { fieldManager: operatorName, signal })
    // Others may have removed the records with the change, where the webhook does not keep them.
    if (++rewrites > promptRewrites) attempts.fail(rewriting, 'others revert the change together with its annotation', false)
    log.info({ patches: step.records.map(({ id, result }) => `${id} ${result}`) }, 'The spec was patched for an upgrade')
    return writeJournal(patched, withRecords(step.upgrade, step.records), [], signal)
  }

  const perform = async (
    hyperconverged: HyperConverged,
    step: Extract<UpgradeStep, { readonly do: 'begin' | 'record' | 'forget' }>,
    signal: AbortSignal,
  ): Promise<HyperConverged> => {
    switch (step.do) {
      case 'begin': {
        const begun = await writeJournal(hyperconverged, step.upgrade, upgradingConditions(step.upgrade), signal)
        const { from, to } = step.upgrade
        log.info({ from, to }, 'An upgrade has started')
        recorder.event(begun, 'Normal', 'UpgradeHCO', `The platform is upgraded from ${from === '' ? 'an unknown version' : from} to ${to}`)
        return begun
      }
      case 'record':
        return writeJournal(hyperconverged, step.upgrade, [], signal)
      case 'forget':
        return patchIfUnchanged(
          client,
          hyperConvergeds,
          hyperconverged,
          { metadata: { annotations: { [patchesAnnotation]: null } } },
          { signal },
        )
    }
  }

  const prepare: Upgrader['prepare'] = async (found, signal) => {
    tellProblem(found)
    let hyperconverged = found
    for (let steps = 0; steps < mostSteps; steps++) {
      const step = decideUpgrade(hyperconverged, { own, rules }, timestamp(clock.now()))
      if (step.do === 'none') return { hyperconverged, preparation: { kind: 'none' } }
      if (step.do === 'refuse') return { hyperconverged, preparation: { kind: 'refused', refusal: step.refusal, upgrade: step.upgrade } }
      if (step.do === 'configure') return { hyperconverged, preparation: { kind: 'running', upgrade: step.upgrade } }
      if (step.do !== 'patch') {
        hyperconverged = await perform(hyperconverged, step, signal)
        continue
      }
      const failure = await attempt(hyperconverged, step, signal)
      if ('patched' in failure) hyperconverged = failure.patched
      else {
        const upgrade = { ...step.upgrade, message: `the spec cannot be patched: ${failure.error}` }
        return { hyperconverged, preparation: { kind: 'stuck', upgrade, isFinal: failure.isFinal } }
      }
    }
    throw new UpgradeNotKept(`The API server does not keep what is written to ${found.metadata.name ?? ''} in an upgrade`)
  }

  /** A conflict is no failure: the step is decided again from the newer object. */
  const attempt = async (
    hyperconverged: HyperConverged,
    step: Extract<UpgradeStep, { readonly do: 'patch' }>,
    signal: AbortSignal,
  ): Promise<{ readonly patched: HyperConverged } | { readonly error: string; readonly isFinal: boolean }> => {
    const { generation } = hyperconverged.metadata
    // The next edit may be what makes the patch acceptable.
    if (generation !== attempted) attempts.succeed(patching)
    attempted = generation
    const last = attempts.pending(patching) ?? attempts.pending(rewriting)
    if (last !== undefined) return last
    try {
      return { patched: await patch(hyperconverged, step, signal) }
    } catch (error) {
      signal.throwIfAborted()
      if (isConflict(error)) throw error
      const isFinal = error instanceof StatusError && error.code < 500 && !transientCodes.includes(error.code)
      const failure = attempts.fail(patching, error, isFinal)
      log.warn({ error, failures: failure.count }, 'The spec cannot be patched for an upgrade: trying again')
      return failure
    }
  }

  const remove = async (removal: ObjectRemoval, signal: AbortSignal): Promise<RemovedObject | string> => {
    const object = objectOf(removal, namespace)
    const { resource } = removal
    const title = `${object.kind} ${object.namespace === undefined ? '' : `${object.namespace}/`}${object.name}`
    const failure = attempts.pending(title)
    if (failure !== undefined) return failure.error
    try {
      await client.delete(resource, { namespace: object.namespace ?? '', name: object.name }, { signal })
      log.info({ object: title }, 'An object of an older version was deleted')
      attempts.succeed(title)
      return { ...object, result: 'Deleted' }
    } catch (error) {
      signal.throwIfAborted()
      // Also the answer when the kind is not installed.
      if (isNotFound(error)) {
        attempts.succeed(title)
        return { ...object, result: 'NotFound' }
      }
      const message = `${title} cannot be deleted: ${error instanceof Error ? error.message : String(error)}`
      log.warn({ error, object: title }, 'An object of an older version cannot be deleted: trying again')
      attempts.fail(title, message, false)
      return message
    }
  }

  const advance = async (upgrade: PlatformUpgrade, outcomes: readonly Outcome[], signal: AbortSignal): Promise<UpgradeReport> => {
    const progress = componentUpgradesOf(outcomes, { own, environment })
    const components = progress.map(({ waitsFor: _waitsFor, ...component }) => component)
    const { message: _message, ...rest } = upgrade
    const journal = { ...rest, components }
    const waits = progress.flatMap(({ waitsFor }) => waitsFor ?? [])
    if (waits.length > 0) {
      const at = { ...journal, stage: 'Components', message: waits.join('; ') }
      return { version: upgrade.from, upgrade: at, conditions: upgradingConditions(at) }
    }
    const pending = pendingRemovals(upgrade, rules).filter((removal) => !isRemoved(upgrade, objectOf(removal, namespace)))
    const results = await Promise.all(pending.map((removal) => remove(removal, signal)))
    const removed = [...(upgrade.removed ?? []), ...results.filter((result) => typeof result !== 'string')]
    const failures = results.filter((result) => typeof result === 'string')
    if (failures.length > 0) {
      const at = { ...journal, removed, stage: 'Removal', message: failures.join('; ') }
      return { version: upgrade.from, upgrade: at, conditions: stuckConditions(at, false) }
    }
    return { version: own, upgrade: { ...journal, removed, stage: 'Complete', completedAt: timestamp(clock.now()) }, conditions: [] }
  }

  const conclude: Upgrader['conclude'] = async (hyperconverged, preparation, outcomes, signal) => {
    const version = recordedVersion(hyperconverged) ?? ''
    switch (preparation.kind) {
      case 'none':
        return { version: own, upgrade: closed(hyperconverged.status?.steadyvm?.upgrade), conditions: [] }
      case 'refused': {
        const { refusal, upgrade } = preparation
        return { version, upgrade: { ...upgrade, message: refusal.message }, conditions: refusedConditions(refusal) }
      }
      case 'stuck':
        return { version, upgrade: preparation.upgrade, conditions: stuckConditions(preparation.upgrade, preparation.isFinal) }
      case 'running':
        return advance(preparation.upgrade, outcomes, signal)
    }
  }

  /** An upgrade ends, too, when the operator of the version before is installed again. */
  const closed = (upgrade: PlatformUpgrade | undefined): PlatformUpgrade | undefined => {
    if (upgrade === undefined || upgrade.completedAt !== undefined) return upgrade
    const { message: _message, ...rest } = upgrade
    return { ...rest, stage: upgrade.to === own ? 'Complete' : 'Abandoned', completedAt: timestamp(clock.now()) }
  }

  return { prepare, conclude, waitMs: () => attempts.waitMs() }
}

function objectOf({ resource, name, namespace }: ObjectRemoval, own: string): Omit<RemovedObject, 'result'> {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    ...(namespace === undefined ? {} : { namespace: namespace.replace(namespaceVariable, own) }),
    name,
  }
}

function isRemoved({ removed = [] }: PlatformUpgrade, object: Omit<RemovedObject, 'result'>): boolean {
  return removed.some(
    ({ apiVersion, kind, namespace, name }) =>
      apiVersion === object.apiVersion && kind === object.kind && namespace === object.namespace && name === object.name,
  )
}
