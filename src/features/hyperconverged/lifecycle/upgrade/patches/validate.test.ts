import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { hyperConvergedRules } from '#api/access/hyperconverged-rules.ts'
import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { applyUpgradePatches } from './apply-patches.ts'
import { compareReleases, releasedVersions, type ReleasedVersion } from './releases.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { defaultSpecs, readUpgradeRules, stopBetween } from './validate.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..', '..', '..')
const shipped = readFileSync(join(root, 'manifests', 'upgradePatches.json'), 'utf8')
const own = `v${(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version}`

test('the shipped file is right on every path between the released versions', () => {
  assert.deepEqual(readUpgradeRules(shipped, own).problems, [])
})

test('the default object of each version of upstream becomes the one of today', () => {
  const specs = defaultSpecs(releasedVersions)
  const { patches } = readUpgradeRules(shipped, own)
  for (const [version, spec] of specs) {
    const from = parseTolerant(version)
    assert.ok(from)
    const after = applyUpgradePatches(spec, from, patches).spec as { virtualization: { liveMigrationConfig: Record<string, number> } }
    assert.equal(after.virtualization.liveMigrationConfig['completionTimeoutPerGiB'], 20, version)
  }
})

test('the archive ends with this version, whose defaults are those of the schema', () => {
  assert.equal(releasedVersions.at(-1)?.version, own, 'add a row for the version of package.json')
  assert.deepEqual(defaultSpecs(releasedVersions).get(own), applyDefaults({}, schema))
  const { patches } = readUpgradeRules(shipped, own)
  assert.deepEqual(
    releasedVersions.at(-1)?.upgradePatches,
    patches.map(({ id }) => id),
  )
})

test('the operator may delete what the shipped file lists, and nothing else of these kinds', () => {
  const ofImages = 'rights'
  const { cluster, namespace } = hyperConvergedRules({
    crd: 'c',
    webhooks: [],
    certificates: [],
    components: [],
    namespaces: [],
    monitoring: [],
    workloads: [],
    images: { name: ofImages, rules: [] },
    lastApplied: 'l',
  })
  const granted = [cluster, namespace].flatMap((rules, index) =>
    rules
      .filter(({ verbs, resourceNames = [] }) => verbs.includes('delete') && resourceNames.some((name) => name !== ofImages))
      .flatMap(({ apiGroups = [], resources = [], resourceNames = [] }) =>
        resourceNames.map((name) => `${index === 0 ? 'anywhere' : 'own'} ${resources.join()}.${apiGroups.join()} ${name}`),
      ),
  )
  const listed = readUpgradeRules(shipped, own).removals.map(
    ({ resource, name, namespace: place }) =>
      `${place === '$(NAMESPACE)' ? 'own' : 'anywhere'} ${resource.plural}.${resource.group} ${name}`,
  )
  assert.deepEqual(granted.toSorted(), listed.toSorted())
})

const timeout = '/spec/migration/timeout'
const guarded = (semverRange: string): object => ({
  id: 'p',
  semverRange,
  jsonPatch: [
    { op: 'test', path: timeout, value: 150 },
    { op: 'replace', path: timeout, value: 20 },
  ],
})
/** 1.3.0 has another default than the versions before. */
const history: readonly ReleasedVersion[] = [
  { version: '1.0.0', defaults: { other: 1 } },
  { version: '1.1.0', defaults: { migration: { timeout: 150 } } },
  { version: '1.2.0' },
]

function problems(entries: readonly object[], releases: readonly ReleasedVersion[] = history, to = '1.3.0'): string {
  return readUpgradeRules(JSON.stringify({ hcoCRPatchList: entries }), to, releases).problems.join('; ')
}

test('a patch is tried out on all released versions and paths', () => {
  const add = (value: number, semverRange = '<1.3.0'): object => ({
    semverRange,
    jsonPatch: [{ op: 'add', path: '/spec/new', value }],
  })
  const rows: readonly (readonly [what: string, found: string, problem: RegExp])[] = [
    ['a right range', problems([guarded('<1.3.0')]), /^$/],
    [
      'a range that ends too early',
      problems([guarded('<1.2.0')]),
      /default object of 1\.1\.0 depends on the path: .*1\.1\.0 → 1\.2\.0 → 1\.3\.0/,
    ],
    ['a range that begins too late', problems([guarded('>=1.2.0 <1.3.0')]), /default object of 1\.1\.0 depends on the path/],
    [
      'a patch that leads nowhere in one version',
      problems([{ id: 'p', semverRange: 'x', jsonPatch: [{ op: 'replace', path: timeout, value: 20 }] }]),
      /^patch p cannot be applied to the default object of 1\.0\.0/,
    ],
    [
      'a patch that leads nowhere out of its range',
      problems([{ semverRange: '>=1.1.0', jsonPatch: [{ op: 'replace', path: timeout, value: 20 }] }]),
      /^$/,
    ],
    ['a test that leads nowhere', problems([{ semverRange: 'x', jsonPatch: [{ op: 'test', path: '/spec/a/b', value: 1 }] }]), /^$/],
    ['a patch for one version only', problems([add(1, '1.0.0')]), /default object of 1\.0\.0 depends on the path/],
    [
      'a patch that release 1.2.0 has shipped already',
      problems([guarded('<1.2.0')], history.with(2, { version: '1.2.0', defaults: { migration: { timeout: 20 } }, upgradePatches: ['p'] })),
      /^$/,
    ],
    [
      '… and whose range has grown since',
      problems(
        [
          {
            ...guarded('<1.3.0'),
            jsonPatch: [{ op: 'add', path: '/spec/list/-', value: 1 }],
            jsonPatchApplyOptions: { ensurePathExistsOnAdd: true },
          },
        ],
        history.with(2, { version: '1.2.0', upgradePatches: ['p'] }),
      ),
      /depends on the path/,
    ],
    [
      'a required stop, where only one path is left',
      problems([guarded('<1.2.0')], history.with(2, { version: '1.2.0', isRequiredStop: true, defaults: { migration: { timeout: 20 } } })),
      /^$/,
    ],
    ['a version that is none', problems([], [{ version: 'one' }]), /"one" is no version/],
  ]
  for (const [what, found, problem] of rows) assert.match(found, problem, what)
})

test('what is no file is a problem', () => {
  assert.match(readUpgradeRules(undefined, '1.3.0', history).problems.join(), /there is no upgradePatches\.json/)
  assert.match(readUpgradeRules('{', '1.3.0', history).problems.join(), /is not JSON/)
  assert.match(
    readUpgradeRules('{"hcoCRPatchList": [{"semverRange": "^1"}]}', '1.3.0', history).problems.join(),
    /hcoCRPatchList\[0\]\.semverRange/,
  )
})

test('many released versions are checked in a moment', () => {
  const many = Array.from({ length: 60 }, (_, index): ReleasedVersion => ({
    version: `1.${index}.0`,
    ...(index === 0 ? { defaults: { migration: { timeout: 150 } } } : {}),
  }))
  assert.equal(problems([guarded('<1.60.0')], many, '1.60.0'), '')
})

test('required stops between two versions', () => {
  const rows: readonly (readonly [from: string, to: string, stops: string, found: string | undefined])[] = [
    ['1.0.0', '1.3.0', '1.2.0', '1.2.0'],
    ['1.0.0', '1.2.0', '1.2.0', undefined],
    ['1.2.0', '1.3.0', '1.2.0', undefined],
    ['1.2.0-rc.1', '1.3.0', '1.2.0', '1.2.0'],
    ['v1.0', 'v1.3', 'v1.1 v1.2', 'v1.1'],
    ['1.3.0', '1.0.0', '1.2.0', undefined],
    ['1.0.0', '1.3.0', '', undefined],
    ['', '1.3.0', '1.2.0', '1.2.0'],
    // Ours come after all of KubeVirt's own operator.
    ['1.18.0', 'v0.3.0', '1.19.0 v0.2.0', '1.19.0'],
    ['1.19.0', 'v0.3.0', '1.19.0 v0.2.0', 'v0.2.0'],
    ['v0.1.0', 'v0.3.0', '1.19.0', undefined],
  ]
  for (const [from, to, stops, found] of rows) assert.equal(stopBetween(from, to, stops.split(' ').filter(Boolean)), found, `${from} ${to}`)
})

test('which of two versions was released first', () => {
  const rows: readonly (readonly [one: string, other: string, order: number | undefined])[] = [
    ['1.18.0', '1.19.0', -1],
    ['v0.2.0', 'v0.10.0', -1],
    ['1.19.0', 'v0.1.0', -1],
    ['v0.1.0', '1.19.0', 1],
    ['v0.1.0', 'v0.1', 0],
    ['', 'v0.1.0', -1],
    ['latest', 'v0.1.0', undefined],
  ]
  for (const [one, other, order] of rows) assert.equal(compareReleases(one, other), order, `${one} ${other}`)
})
