import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { PlatformUpgrade, UpgradePatchRecord } from '#api/hco/v1/status.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import { decideUpgrade, pendingRemovals, type UpgradeStep } from './decide.ts'
import { annotationOf, keptRecords, patchesAnnotation, pathOfPointer, recordsOf, unsavedPatches } from './journal.ts'
import type { ReleasedVersion } from './patches/releases.ts'
import { readUpgradeRules, type UpgradeRules } from './patches/validate.ts'

const own = 'v0.3.0'
const now = '2026-06-01T00:00:00Z'
const start = '2026-01-01T00:00:00Z'
const field = '/spec/virtualization/liveMigrationConfig/completionTimeoutPerGiB'

/** The contents of upstream's file, whose namespace is fixed. */
const upstream = {
  hcoCRPatchList: [
    {
      semverRange: '<1.19.0',
      jsonPatch: [
        { op: 'test', path: field, value: 150 },
        { op: 'replace', path: field, value: 20 },
      ],
    },
  ],
  objectsToBeRemoved: [
    ['apps', 'DaemonSet', 'passt-binding-cni'],
    ['', 'ServiceAccount', 'passt-binding-cni'],
    ['security.openshift.io', 'SecurityContextConstraints', 'passt-binding-cni'],
    ['k8s.cni.cncf.io', 'NetworkAttachmentDefinition', 'primary-udn-kubevirt-binding'],
    ['apps', 'DaemonSet', 'iommufd-device-plugin'],
    ['', 'ServiceAccount', 'iommufd-device-plugin'],
    ['security.openshift.io', 'SecurityContextConstraints', 'iommufd-device-plugin'],
  ].map(([group, kind, name]) => ({
    semverRange: '<1.19.0',
    groupVersionKind: { group, version: 'v1', kind },
    objectKey: { name, ...(kind === 'SecurityContextConstraints' ? {} : { namespace: 'kubevirt-hyperconverged' }) },
  })),
}

const rulesOf = (
  file: object | string,
  releases: readonly ReleasedVersion[] = [{ version: 'v0.1.0' }, { version: 'v0.2.0' }],
): UpgradeRules => readUpgradeRules(typeof file === 'string' ? file : JSON.stringify(file), own, releases)
const rules = rulesOf(upstream)
const [id = ''] = rules.patches.map((patch) => patch.id)

interface Stored {
  readonly timeout?: unknown
  readonly version?: string | undefined
  readonly upgrade?: Partial<PlatformUpgrade>
  readonly annotation?: readonly UpgradePatchRecord[] | string
  readonly isNew?: true
}

function objectOf({ timeout = 150, version, upgrade, annotation, isNew }: Stored): HyperConverged {
  const text = typeof annotation === 'string' ? annotation : annotation === undefined ? undefined : annotationOf(annotation)
  return deepFreeze({
    metadata: { name: 'x', ...(text === undefined ? {} : { annotations: { [patchesAnnotation]: text } }) },
    spec: { virtualization: { liveMigrationConfig: { completionTimeoutPerGiB: timeout } } },
    status: {
      ...(isNew === true ? {} : { conditions: [{ type: 'Available', status: 'True', reason: 'x', message: '' }] }),
      ...(version === undefined ? {} : { versions: [{ name: 'operator', version }] }),
      ...(upgrade === undefined
        ? {}
        : { steadyvm: { upgrade: { from: version ?? '', to: own, stage: 'Patches', startedAt: start, ...upgrade } } }),
    },
  }) as HyperConverged
}

const next = (stored: Stored, known: UpgradeRules = rules): UpgradeStep => decideUpgrade(objectOf(stored), { own, rules: known }, now)
const applied: UpgradePatchRecord = { id, result: 'Applied', version: own, decidedAt: now, changes: [{ path: field, value: 20 }] }
const open = {}

suite('the next step of an upgrade', () => {
  const rows: readonly (readonly [what: string, step: UpgradeStep, wanted: UpgradeStep['do'], check?: (step: never) => void])[] = [
    ['a new object', next({ isNew: true }), 'none'],
    ['the own version', next({ version: own }), 'none'],
    ['the own version, and a wrong file', next({ version: own }, rulesOf('{')), 'none'],
    [
      'another version: nothing changes before the start is recorded',
      next({ version: '1.18.0' }),
      'begin',
      ({ upgrade }: { upgrade: PlatformUpgrade }) =>
        assert.deepEqual(upgrade, { from: '1.18.0', to: own, stage: 'Patches', startedAt: now }),
    ],
    [
      'a patch in range',
      next({ version: '1.18.0', upgrade: open }),
      'patch',
      ({ spec, records }: Extract<UpgradeStep, { do: 'patch' }>) => {
        assert.deepEqual(spec, { virtualization: { liveMigrationConfig: { completionTimeoutPerGiB: 20 } } })
        assert.deepEqual(records, [applied])
      },
    ],
    [
      'a patch whose precondition does not hold: no write of the spec',
      next({ version: '1.18.0', upgrade: open, timeout: 90 }),
      'record',
      ({ upgrade }: { upgrade: PlatformUpgrade }) => assert.equal(upgrade.patches?.[0]?.result, 'Skipped'),
    ],
    ['a version out of range', next({ version: '1.19.0', upgrade: open }), 'configure'],
    [
      'records that only the annotation has',
      next({ version: '1.18.0', upgrade: open, annotation: [applied] }),
      'record',
      ({ upgrade }: { upgrade: PlatformUpgrade }) => assert.deepEqual(upgrade.patches, [applied]),
    ],
    ['records that the status has, too', next({ version: '1.18.0', upgrade: { patches: [applied] }, annotation: [applied] }), 'forget'],
    ['the value of before, written by a user since', next({ version: '1.18.0', upgrade: { patches: [applied] } }), 'configure'],
    ['the same before the status has the record', next({ version: '1.18.0', upgrade: open, annotation: [applied] }), 'record'],
    ['an annotation that is no list', next({ version: '1.18.0', upgrade: { patches: [applied] }, annotation: '{' }), 'forget'],
    ['an annotation without an upgrade', next({ version: own, annotation: [applied] }), 'forget'],
    [
      'an annotation of an upgrade that was given up',
      next({ version: own, upgrade: { from: own, to: 'v9' }, annotation: [applied] }),
      'record',
    ],
    [
      'an upgrade that took over from one to another version, with what that has decided',
      next({ version: '1.18.0', upgrade: { to: 'v0.2.0', patches: [{ ...applied, version: 'v0.2.0' }], stage: 'Components' } }),
      'begin',
      ({ upgrade }: { upgrade: PlatformUpgrade }) => {
        assert.deepEqual([upgrade.from, upgrade.startedAt, upgrade.patches?.[0]?.version], ['1.18.0', now, 'v0.2.0'])
      },
    ],
    ['a complete upgrade of before the way back', next({ version: 'v0.2.0', upgrade: { stage: 'Complete', completedAt: start } }), 'begin'],
    ['an unknown version is the oldest one', next({ upgrade: { from: '' } }), 'patch'],
    ['what is no version', next({ version: 'latest' }), 'refuse'],
    ['a wrong file', next({ version: '1.18.0' }, rulesOf('{')), 'refuse'],
    ['the way back, whatever the file', next({ version: 'v0.4.0' }, rulesOf('{')), 'begin'],
    [
      'the way back: no patch',
      next({ version: 'v0.4.0', upgrade: open }, rulesOf({ hcoCRPatchList: [{ ...upstream.hcoCRPatchList[0], semverRange: 'x' }] })),
      'configure',
    ],
    [
      'a required stop',
      next({ version: '1.18.0' }, rulesOf(upstream, [{ version: 'v0.1.0', isRequiredStop: true }, { version: 'v0.2.0' }])),
      'refuse',
      ({ refusal, upgrade }: Extract<UpgradeStep, { do: 'refuse' }>) => {
        assert.deepEqual([refusal.reason, upgrade.stage], ['RequiredStopSkipped', 'Preflight'])
        assert.match(refusal.message, /operator of v0\.1\.0 first/)
      },
    ],
    ['… at which the platform is', next({ version: 'v0.1.0' }, rulesOf(upstream, [{ version: 'v0.1.0', isRequiredStop: true }])), 'begin'],
    ['a refusal that does not hold any more', next({ version: '1.18.0', upgrade: { stage: 'Preflight', message: 'x' } }), 'begin'],
  ]
  for (const [what, step, wanted, check] of rows)
    test(what, () => {
      assert.equal(step.do, wanted, JSON.stringify(step))
      check?.(step as never)
    })
})

test("upstream's file removes what upstream removes, in its own namespace", () => {
  const removals = (from: string): readonly string[] =>
    pendingRemovals({ from, to: own, stage: 'Removal', startedAt: start }, rules).map(
      ({ resource, namespace = '', name }) => `${resource.plural}.${resource.group} ${namespace}/${name}`,
    )
  assert.equal(removals('1.18.0').length, 7)
  assert.equal(removals('1.18.0')[0], 'daemonsets.apps kubevirt-hyperconverged/passt-binding-cni')
  assert.equal(removals('1.18.0')[2], 'securitycontextconstraints.security.openshift.io /passt-binding-cni')
  assert.equal(removals('').length, 7)
  assert.deepEqual(removals('1.19.0'), [])
  assert.deepEqual(removals('v0.4.0'), [], 'not on the way back')
})

test('an update that would lose records keeps them', () => {
  const other = { ...applied, id: 'other' }
  const annotations = (records: readonly UpgradePatchRecord[] | undefined): HyperConverged =>
    objectOf(records === undefined ? {} : { annotation: records })
  assert.equal(keptRecords(objectOf({}), annotations(undefined)), undefined)
  assert.equal(keptRecords(annotations([applied]), annotations([other, applied])), undefined)
  // The status has the record: the annotation may go.
  assert.equal(keptRecords(objectOf({ annotation: [applied], upgrade: { patches: [applied] } }), annotations(undefined)), undefined)
  for (const next of [undefined, [other]]) {
    const kept = keptRecords(annotations([applied]), annotations(next))
    const ids = unsavedPatches({ metadata: { annotations: { ...kept } } } as HyperConverged).map((record) => record.id)
    assert.deepEqual(ids, [...(next === undefined ? [] : ['other']), id])
  }
})

test('what is no record is left out, and one id counts once', () => {
  const text = JSON.stringify([
    applied,
    applied,
    null,
    1,
    {},
    { ...applied, id: 'a', changes: [{}] },
    { ...applied, id: 'b', result: 'Done' },
  ])
  assert.deepEqual(unsavedPatches(objectOf({ annotation: text })), [applied])
})

test('a path with any key is written as a pointer, and read again', () => {
  const path = ['deployment', 'nodePlacements', 'a.b/c~d', '~1']
  const [record] = recordsOf([{ id: 'a', result: 'Applied', changes: [{ path, value: 1 }] }], { version: own, decidedAt: now })
  assert.deepEqual(pathOfPointer(record?.changes?.[0]?.path ?? ''), path)
})
