import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { describeImage, verifyImage, type ImageFinding } from './image-report.ts'
import { claimOf, cronOf, dataSourceOf, dataVolumeOf, lookupIn } from './image-world.fixture.ts'

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`
const imported = (letter: string): { annotations: Record<string, string> } => ({
  annotations: { 'steadyvm.io/imported-digest': digest(letter) },
})
const cronLabel = { 'cdi.kubevirt.io/dataImportCron': 'cron' }

suite('describeImage()', () => {
  test('shows a complete image', () => {
    const source = { http: { url: 'https://a/b', checksum: digest('a') } }
    const row = describeImage(
      dataSourceOf('fedora', 'image', { 'instancetype.kubevirt.io/default-instancetype': 'u1.small' }),
      lookupIn({ dataVolumes: [dataVolumeOf('image', { spec: { source } })], claims: [claimOf('image')] }),
    )
    assert.deepEqual(
      [row.image, row.size, row.phase, row.digest, row.from, row.instancetype],
      ['pvc/image', '5Gi', 'Ready', digest('a'), 'https://a/b', 'u1.small'],
    )
  })
  test('shows how far an import is, and why it does not go on', () => {
    const status = {
      phase: 'ImportInProgress',
      progress: '40.0%',
      conditions: [{ type: 'Running', status: 'False', message: 'the server answered 404' }],
    }
    const row = describeImage(dataSourceOf('fedora'), lookupIn({ dataVolumes: [dataVolumeOf('fedora', { status })] }))
    assert.deepEqual([row.phase, row.isComplete], ['ImportInProgress 40.0%', false])
    assert.match(row.message, /the server answered 404/)
  })
  test('takes the size of a claim without a DataVolume', () => {
    const claim = { ...claimOf('fedora'), spec: { resources: { requests: { storage: '7Gi' } } } }
    assert.equal(describeImage(dataSourceOf('fedora'), lookupIn({ claims: [claim] })).size, '7Gi')
  })
})

suite('verifyImage()', () => {
  const reasonsOf = (...args: Parameters<typeof verifyImage>): ImageFinding['reason'][] => verifyImage(...args).map(({ reason }) => reason)
  const complete = (dataVolume: ReturnType<typeof dataVolumeOf>, annotations?: Record<string, string>): Parameters<typeof verifyImage> => [
    dataSourceOf('fedora', 'image', annotations === undefined ? {} : cronLabel),
    lookupIn({
      dataVolumes: [dataVolume],
      claims: [claimOf('image')],
      crons: annotations === undefined ? [] : [cronOf('cron', annotations)],
    }),
  ]
  const pin = 'steadyvm.io/pin-import'
  const desired = 'cdi.kubevirt.io/storage.import.sourceDesiredDigest'

  test('an image that is not there', () => assert.deepEqual(reasonsOf(dataSourceOf('fedora'), lookupIn({})), ['Incomplete']))
  test('an upload whose checksum was recorded', () => assert.deepEqual(reasonsOf(...complete(dataVolumeOf('image', imported('a')))), []))
  for (const [letter, wanted] of [
    ['a', []],
    ['b', ['DigestMismatch']],
  ] as const) {
    test(`a reference that pins a digest, with digest ${letter}`, () => {
      const source = { registry: { url: `docker://a/b@${digest('a')}` } }
      assert.deepEqual(reasonsOf(...complete(dataVolumeOf('image', { ...imported(letter), spec: { source } }))), wanted)
    })
  }
  test('the digest of an ETag is not compared with that of a file', () => {
    const source = { http: { url: 'https://a/b', checksum: digest('a') } }
    assert.deepEqual(reasonsOf(...complete(dataVolumeOf('image', { ...imported('b'), labels: cronLabel, spec: { source } }))), [])
  })
  for (const [name, annotations, wanted] of [
    ['the newest digest', { [desired]: digest('a') }, []],
    ['an older digest', { [desired]: digest('b') }, ['Outdated']],
    ['an older digest that is pinned', { [desired]: digest('b'), [pin]: 'image' }, []],
    ['a digest that is pinned', { [desired]: digest('b'), [pin]: digest('a') }, []],
    ['another one than the pinned', { [desired]: digest('a'), [pin]: 'other' }, ['PinNotFollowed']],
  ] as const)
    test(`an import of a DataImportCron with ${name}`, () =>
      assert.deepEqual(reasonsOf(...complete(dataVolumeOf('image', imported('a')), annotations)), wanted))
})
