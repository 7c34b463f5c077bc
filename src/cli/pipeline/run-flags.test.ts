import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { CommandError } from '../context.ts'
import { parseParams, parseServiceAccounts, parseTimeouts, parseWorkspaces } from './run-flags.ts'

suite('flags of runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-flags-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'disk.yaml')
  writeFileSync(file, 'kind: DataVolume\n')
  const typeOf = (name: string): 'string' | 'array' | undefined => (name === 'list' ? 'array' : name === 'no' ? undefined : 'string')

  const params: readonly (readonly [given: readonly string[], wanted: object])[] = [
    [['a=b=c', 'no=x'], { a: 'b=c', no: 'x' }],
    [['a='], { a: '' }],
    [[`a=@${file}`, 'b=@@home'], { a: 'kind: DataVolume\n', b: '@home' }],
    [['list=x', 'list=y'], { list: ['x', 'y'] }],
    [['list=["x","y"]'], { list: ['x', 'y'] }],
    [['list=x'], { list: ['x'] }],
    [['list=[]'], { list: [] }],
  ]
  for (const [given, wanted] of params)
    test(`-p ${given.join(' -p ')}`, async () => assert.deepEqual(await parseParams(given, typeOf), wanted))

  for (const given of [['a'], ['=x'], ['a=1', 'a=2'], ['a=@/no/such/file'], ['list=[1]'], ['list=[x']])
    test(`-p ${given.join(' -p ')} is refused`, () => assert.rejects(parseParams(given, typeOf), CommandError))

  test('workspaces', () => {
    assert.deepEqual(parseWorkspaces(['a=claim:c', 'b=claim:c:in/it', 'c=emptydir', 'd=configmap:m', 'e=secret:s', 'f=folder:/a:b']), {
      a: { kind: 'claim', name: 'c' },
      b: { kind: 'claim', name: 'c', subPath: 'in/it' },
      c: { kind: 'emptydir' },
      d: { kind: 'configmap', name: 'm' },
      e: { kind: 'secret', name: 's' },
      f: { kind: 'folder', path: '/a:b' },
    })
    for (const wrong of ['a', 'a=claim', 'a=claim:', 'a=emptydir:x', 'a=folder:relative', 'a=nfs:x', 'a=secret:s:x'])
      assert.throws(() => parseWorkspaces([wrong]), CommandError, wrong)
  })

  test('ServiceAccounts', () => assert.deepEqual(parseServiceAccounts(['all', 'one=own']), { '': 'all', one: 'own' }))

  const task = { name: 'a', task: { kind: 'reference', name: 'x' }, params: [], when: [], runAfter: [], workspaces: [] } as const
  const spec = { tasks: [{ ...task, timeoutMs: 60_000, retries: 1 }], finally: [{ ...task, retries: 0 }] }
  const hour = 3_600_000
  const limits: readonly (readonly [flags: Parameters<typeof parseTimeouts>[0], wanted: object])[] = [
    [{}, { pipeline: hour + 120_000 }],
    [{ timeout: '0' }, {}],
    [
      { timeout: '2h', tasksTimeout: '1h', finallyTimeout: '10m' },
      { pipeline: 2 * hour, tasks: hour, finally: 600_000 },
    ],
  ]
  for (const [flags, wanted] of limits) test(`limits ${JSON.stringify(flags)}`, () => assert.deepEqual(parseTimeouts(flags, spec), wanted))
  for (const flags of [{ timeout: 'soon' }, { timeout: '-1s' }, { timeout: '1h', tasksTimeout: '1h', finallyTimeout: '1s' }])
    test(`limits ${JSON.stringify(flags)} are refused`, () => assert.throws(() => parseTimeouts(flags, spec), CommandError))
})
