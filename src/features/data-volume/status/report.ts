import type { CdiCondition } from '#api/cdi/v1beta1/cdi-condition.ts'
import type { DataVolume, DataVolumeStatus } from '#api/cdi/v1beta1/data-volume.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import type { Ports } from '../ports.ts'
import { statusOf, type StatusInput } from './status-of.ts'

/** Writes the status of a DataVolume, with at most one write, and the events of a change. */
export async function report(ports: Pick<Ports, 'client' | 'recorder'>, input: StatusInput): Promise<void> {
  const status = statusOf(input)
  if (status === undefined) return
  const { dataVolume } = input
  const written = await found(patchStatus(ports.client, dataVolumes, dataVolume, status))
  if (written === undefined || written === dataVolume) return
  announce(ports, dataVolume, status, input)
}

const messages: Readonly<Record<string, (name: string) => string>> = {
  ImportScheduled: (name) => `Import into ${name} scheduled`,
  ImportInProgress: (name) => `Import into ${name} in progress`,
  UploadScheduled: (name) => `Upload into ${name} scheduled`,
  UploadReady: (name) => `Upload into ${name} ready`,
  CloneScheduled: (name) => `Cloning into ${name} scheduled`,
  CloneInProgress: (name) => `Cloning into ${name} in progress`,
}

const ends = {
  import: { Succeeded: ['ImportSucceeded', 'Successfully imported into PVC'], Failed: ['ImportFailed', 'Failed to import into PVC'] },
  upload: { Succeeded: ['UploadSucceeded', 'Successfully uploaded into'], Failed: ['UploadFailed', 'Upload failed into'] },
  clone: { Succeeded: ['CloneSucceeded', 'Successfully cloned into'], Failed: ['CloneFailed', 'Cloning failed into'] },
} as const

/** Records CDI's events: of phases, of the claim, and of what a DataVolume waits for. */
function announce({ recorder }: Pick<Ports, 'recorder'>, dataVolume: DataVolume, status: DataVolumeStatus, input: StatusInput): void {
  const { phase = '', conditions = [] } = status
  const { name = '' } = dataVolume.metadata
  const told = (type: string): CdiCondition | undefined => findCondition(dataVolume.status?.conditions, type)
  const [bound, running] = ['Bound', 'Running'].map((type) => findCondition(conditions, type))
  if (bound !== undefined && bound.reason !== '' && isNews(bound, told('Bound')))
    recorder.event(dataVolume, 'Normal', bound.reason ?? '', bound.message ?? '')
  // What takes its usual way is no warning.
  const isUsual = ['Failed', 'Succeeded', 'WaitForFirstConsumer'].includes(phase) || running?.reason === 'Pending'
  const isObstacle = running?.status === 'False' && (running.message ?? '') !== '' && !isUsual
  if (isObstacle && isNews(running, told('Running')))
    recorder.event(dataVolume, 'Warning', running.reason ?? 'Error', running.message ?? '')
  if (phase === dataVolume.status?.phase) return
  const message = messages[phase]
  if (message !== undefined) recorder.event(dataVolume, 'Normal', phase, message(name))
  if (phase === 'Succeeded') {
    const [reason, text] = ends[input.purpose].Succeeded
    recorder.event(dataVolume, 'Normal', reason, `${text} ${name}`)
  }
  if (phase === 'Failed') {
    const [reason, text] = ends[input.purpose].Failed
    const why = running?.message ?? ''
    recorder.event(dataVolume, 'Warning', reason, why === '' ? `${text} ${name}` : `${text} ${name}: ${why}`)
  }
}

function isNews(now: CdiCondition, before: CdiCondition | undefined): boolean {
  return now.status !== before?.status || now.reason !== before.reason || now.message !== before.message
}
