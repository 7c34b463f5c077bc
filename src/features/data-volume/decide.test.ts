import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { ownerReferenceTo } from './claim/claim-of.ts'
import { decide, type Observed } from './decide.ts'
import { names } from './names.ts'

function dataVolume(more: Partial<DataVolume['metadata']> = {}, phase?: string): DataVolume {
  return {
    metadata: { name: 'disk', uid: 'u1', ...more },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
    ...(phase === undefined ? {} : { status: { phase } }),
  }
}

function claim(owner: DataVolume | undefined, annotations: Record<string, string> = {}): PersistentVolumeClaim {
  return {
    metadata: { name: 'disk', annotations, ownerReferences: owner === undefined ? [] : [ownerReferenceTo(owner)] },
    status: { phase: 'Bound' },
  }
}

const plain = dataVolume()
const other = dataVolume({ uid: 'u2' })
const wait = { reason: 'CloneWithoutSource', message: 'there is none' }

suite('decide()', () => {
  const rows: readonly (readonly [string, Partial<Observed>, string])[] = [
    ['a new one gets a claim', {}, 'createClaim'],
    ['one whose source is missing waits', { obstacle: wait }, 'await CloneWithoutSource'],
    ['one of which no claim can be made waits', { claimProblem: 'no class' }, 'await ErrClaimNotValid'],
    ['one with its claim is filled', { claim: claim(plain) }, 'fill startWorker'],
    ['one that is being deleted is left alone', { dataVolume: dataVolume({ deletionTimestamp: '2026-01-01T00:00:00Z' }) }, 'none'],
    ['the claim of one that has succeeded is not made again', { dataVolume: dataVolume({}, 'Succeeded') }, 'lost NotFound'],
    ['that of one that has failed neither', { dataVolume: dataVolume({}, 'Failed') }, 'none'],
    ['a claim of another owner is left alone', { claim: claim(other), adoptsClaims: true }, 'await ErrResourceExists'],
    ['so is a claim without an owner', { claim: claim(undefined) }, 'await ErrResourceExists'],
    ['unless claims are taken over', { claim: claim(undefined), adoptsClaims: true }, 'adopt'],
    ['or this one is', { claim: claim(undefined), dataVolume: dataVolume({ annotations: { [names.allowAdoption]: 'true' } }) }, 'adopt'],
    ['or its content is for this DataVolume', { claim: claim(undefined, { [names.populatedFor]: 'disk' }) }, 'adopt'],
    [
      'the annotation wins over the setting',
      { claim: claim(undefined), adoptsClaims: true, dataVolume: dataVolume({ annotations: { [names.allowAdoption]: 'false' } }) },
      'await ErrResourceExists',
    ],
    ['a claim that was taken over is not filled', { claim: claim(plain, { [names.populatedFor]: 'disk' }) }, 'watchClaim'],
    [
      'a claim that another controller fills is only watched',
      { claim: claim(plain), dataVolume: { ...plain, spec: { pvc: { dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } } } } },
      'watchClaim',
    ],
  ]
  for (const [name, given, expected] of rows)
    test(name, () => {
      const step = decide({
        dataVolume: plain,
        claim: undefined,
        claimProblem: undefined,
        adoptsClaims: false,
        pod: undefined,
        bindsLate: false,
        bindsAtOnce: false,
        obstacle: undefined,
        isComplete: true,
        progress: undefined,
        ...given,
      })
      const detail = 'wait' in step ? step.wait.reason : step.kind === 'fill' ? step.step.kind : ''
      assert.equal(`${step.kind} ${detail}`.trim(), expected)
    })
})
