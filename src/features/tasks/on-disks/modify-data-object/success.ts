import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import type { WaitStep } from '../../objects/news.ts'

/** Restarts of a worker after which its error is final. */
const mostRestarts = 3

/** Whether a DataVolume is filled. Pure. @throws TaskFailed when it will not be */
export function volumeStep({ status }: Pick<DataVolume, 'status'>): WaitStep<undefined> {
  const { phase = 'Pending', conditions, restartCount = 0, progress } = status ?? {}
  if (phase === 'Succeeded' && isTrue(conditions, 'Bound')) return { done: undefined }
  const running = findCondition(conditions, 'Running')
  const why = running?.message === undefined || running.message === '' ? '' : `: ${running.message}`
  if (phase === 'Failed') throw new TaskFailed(exitCodes.waitFailed, `The DataVolume has failed${why}`)
  if (phase === 'ImportInProgress' && restartCount > mostRestarts && running?.status === 'False' && running.reason === 'Error')
    throw new TaskFailed(exitCodes.waitFailed, `The import of the DataVolume has failed ${restartCount} times${why}`)
  const percent = progress === undefined || progress === 'N/A' || progress === '' ? '' : ` ${progress}`
  return { waiting: `its phase is ${phase}${percent}${running?.status === 'False' ? why : ''}` }
}

/** Whether a DataSource can be used. Pure. */
export function sourceStep({ status }: Pick<DataSource, 'status'>): WaitStep<undefined> {
  const ready = findCondition(status?.conditions, 'Ready')
  if (ready?.status === 'True') return { done: undefined }
  return {
    waiting: ready === undefined ? 'it has no condition Ready yet' : `it is not ready (${ready.reason ?? ''}): ${ready.message ?? ''}`,
  }
}
