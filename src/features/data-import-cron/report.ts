import type { CdiCondition } from '#api/cdi/v1beta1/cdi-condition.ts'
import type { DataImportCron, DataImportCronStatus } from '#api/cdi/v1beta1/data-import-cron.ts'
import { dataImportCrons } from '#api/cdi/v1beta1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { cdiCondition } from '#features/data-source/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Outcome } from './act.ts'
import type { Decision, Observed } from './decide.ts'
import type { Import } from './imports/import.ts'
import { conditions, names } from './names.ts'
import type { Ports } from './ports.ts'

/** Writes the status of a DataImportCron, with at most one write, and the events of a change. */
export async function report({ client, recorder }: Ports, observed: Observed, decision: Decision, outcome: Outcome): Promise<void> {
  const { cron } = outcome
  const status = statusOf(observed, decision, outcome)
  const written = await found(patchStatus(client, dataImportCrons, cron, status, { ownedConditions: owned }))
  if (written === undefined) return
  const selected = decision.target?.name
  if (!decision.isSelected && outcome.isSelected)
    recorder.event(cron, 'Normal', 'DataSourceUpdated', `DataSource ${cron.spec.managedDataSource ?? ''} names ${selected ?? ''}`)
  for (const condition of status.conditions ?? [])
    if (isWarning(condition, cron)) recorder.event(cron, 'Warning', condition.reason ?? '', condition.message ?? '')
}

const owned = ['Progressing', 'UpToDate', conditions.polled, conditions.verified]

/** Reasons of conditions that a user may have to act on. */
const warnings: ReadonlySet<string> = new Set([
  'ErrDataSourceAlreadyManaged',
  'DataSourceNotManaged',
  'NotAuthorized',
  'ImportFailed',
  'BootFailed',
  'PinNotFound',
  'ErrCreatingDataVolume',
  'ErrCreatingVirtualMachine',
])

function isWarning({ type, status, reason = '', message }: CdiCondition, { status: before }: DataImportCron): boolean {
  const old = findCondition(before?.conditions, type)
  if (old !== undefined && old.reason === reason && old.message === message) return false
  return warnings.has(reason) || (type === conditions.polled && status === 'False')
}

type Told = Omit<CdiCondition, 'type' | 'lastTransitionTime' | 'lastHeartbeatTime'>

/** Returns the status of a DataImportCron, but for conditions of other types. Pure. */
export function statusOf(observed: Observed, decision: Decision, outcome: Outcome): DataImportCronStatus {
  const { cron } = outcome
  const { status } = cron
  const now = timestamp(observed.nowMs)
  const { namespace = '', annotations = {} } = cron.metadata
  const target = outcome.isSelected ? decision.target : undefined
  const isNew = target !== undefined && status?.lastImportedPVC?.name !== target.name
  const executed = annotations[names.lastCronTime]
  const current = currentOf(observed, decision)
  const wanted: readonly (readonly [string, Told | undefined])[] = [
    ['Progressing', progressOf(observed, decision, outcome)],
    ['UpToDate', upToDateOf(observed, decision, outcome)],
    [conditions.polled, polledOf(decision, outcome) ?? findCondition(status?.conditions, conditions.polled)],
    [conditions.verified, verifiedOf(observed, decision, outcome)],
  ]
  return {
    ...(current === undefined ? {} : { currentImports: [current] }),
    ...(target === undefined ? {} : { lastImportedPVC: { namespace, name: target.name }, sourceFormat: 'pvc' }),
    ...(isNew ? { lastImportTimestamp: now } : {}),
    ...(executed === undefined ? {} : { lastExecutionTimestamp: executed }),
    conditions: wanted.flatMap(([type, told]) => (told === undefined ? [] : [cdiCondition(status?.conditions, { ...told, type }, now)])),
  }
}

/** The import in progress, or else the wanted one. CDI knows one at most. */
function currentOf({ imports }: Observed, { wanted, digest, begin }: Decision): { DataVolumeName: string; Digest: string } | undefined {
  if (wanted !== undefined && (imports.has(wanted) || begin !== undefined)) return { DataVolumeName: wanted, Digest: digest }
  const busy = [...imports.values()].find(({ state }) => state === 'busy')
  return busy === undefined ? undefined : { DataVolumeName: busy.name, Digest: busy.digest ?? '' }
}

function polledOf({ poll }: Decision, { pollRefused }: Outcome): Told | undefined {
  if (pollRefused !== undefined) return { status: 'False', ...pollRefused }
  if (poll.kind === 'record') return { status: 'True', reason: 'Answered', message: '' }
  return poll.kind === 'recordFailure' ? { status: 'False', reason: poll.reason, message: poll.message } : undefined
}

const noImport: Told = { status: 'False', reason: 'NoImport', message: 'No current import' }

function progressOf({ ownership, imports }: Observed, { wanted, begin }: Decision, { refused }: Outcome): Told {
  if (ownership.kind === 'foreign') return noImport
  if (refused !== undefined) return { status: 'False', ...refused }
  if (begin !== undefined) return { status: 'False', reason: 'Pending', message: 'Import DataVolume phase Pending' }
  const current = inProgress(imports, wanted)
  if (current === undefined) return noImport
  const phase = current.dataVolume?.status?.phase ?? 'Pending'
  if (phase === 'ImportScheduled') return { status: 'False', reason: 'ImportScheduled', message: 'Import is scheduled' }
  if (current.state === 'busy') return { status: 'True', reason: 'ImportProgressing', message: 'Import is progressing' }
  return {
    status: 'False',
    reason: phase,
    message: `Import DataVolume phase ${phase}${current.problem === '' ? '' : `: ${current.problem}`}`,
  }
}

function inProgress(imports: Observed['imports'], wanted: string | undefined): Import | undefined {
  const all = [...imports.values()].filter(({ state }) => state === 'busy' || state === 'waiting')
  return all.find(({ name }) => name === wanted) ?? all.find(({ state }) => state === 'busy')
}

function upToDateOf({ ownership, imports, cron }: Observed, decision: Decision, outcome: Outcome): Told {
  const { wanted, digest, target, pin } = decision
  const no = (reason: string, message: string): Told => ({ status: 'False', reason, message })
  if (ownership.kind === 'foreign') return no(ownership.reason, ownership.message)
  if (pin !== undefined && pin.image === undefined)
    return no(
      'PinNotFound',
      `${names.pin} is "${pin.value}", and there is no complete import of that name or digest: the DataSource stays as it is`,
    )
  if (digest === '') return no('NoDigest', 'No source digest')
  if (wanted === undefined)
    return no('NoDigest', `"${digest}" is no digest: the annotation ${names.desiredDigest} must be sha256:… or uid:…`)
  const image = imports.get(wanted)
  if (image?.state === 'complete') {
    if (target === image && outcome.isSelected) return { status: 'True', reason: 'UpToDate', message: 'Latest import is up to date' }
    if (pin !== undefined) return no('Pinned', `${names.pin} keeps the DataSource at ${pin.image?.name ?? ''}`)
    if (image.boot === 'failed') return no('BootFailed', bootMessage(image))
    return no(
      'ImportProgressing',
      decision.bootWish === undefined ? 'Import is progressing' : `${wanted} is booted before the DataSource names it`,
    )
  }
  if (outcome.refused !== undefined) return no(outcome.refused.reason, outcome.refused.message)
  if (image?.state === 'broken') return no('ImportFailed', `${wanted}: ${image.problem}`)
  const isOlderBusy = image === undefined && decision.begin === undefined && [...imports.values()].some(({ state }) => state === 'busy')
  const isNews = cron.status?.currentImports?.[0]?.Digest !== digest
  return isOlderBusy || (isNews && target !== undefined)
    ? no('Outdated', 'Source digest updated since last import')
    : no('ImportProgressing', 'Import is progressing')
}

function bootMessage({ name, claim }: Import): string {
  return `${name} is kept, and the DataSource does not name it: ${claim?.metadata.annotations?.[names.bootMessage] ?? 'it does not boot'}`
}

/** The result of the boot of the wanted image; undefined if images are not booted. */
function verifiedOf({ imports }: Observed, { bootWish, wanted, boot }: Decision, { bootRefused }: Outcome): Told | undefined {
  if (bootWish === undefined) return undefined
  const image = wanted === undefined ? undefined : imports.get(wanted)
  const result = boot.kind === 'record' && boot.image.name === wanted ? boot.result : image?.boot
  const message =
    boot.kind === 'record'
      ? `${boot.image.name}: ${boot.message}`
      : image === undefined
        ? ''
        : `${image.name}: ${image.claim?.metadata.annotations?.[names.bootMessage] ?? ''}`
  if (result === 'passed') return { status: 'True', reason: 'Booted', message }
  if (result === 'failed') return { status: 'False', reason: 'BootFailed', message }
  if (image?.state !== 'complete') return { status: 'Unknown', reason: 'NoImport', message: 'there is no complete import to boot' }
  if (bootRefused !== undefined) return { status: 'Unknown', ...bootRefused }
  return { status: 'Unknown', reason: 'Booting', message: `${image.name} is being booted` }
}
