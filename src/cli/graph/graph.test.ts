import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { run } from '@stricli/core'
import { createApplication } from '../app.ts'
import { testContext } from '../cli-context.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'steadyvm-graph-'))
const application = createApplication('v0.0.0')

function write(path: string, text: string): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const bundle = (version: string): string =>
  `schema: olm.bundle\npackage: web\nname: web.v${version}\nimage: r.test/web:v${version}\nproperties: [{type: olm.package, value: {packageName: web, version: ${version}}}]\n`
const catalog = (...entries: readonly string[]): string =>
  [
    'schema: olm.package\nname: web\ndefaultChannel: stable\n',
    `schema: olm.channel\npackage: web\nname: stable\nentries:\n${entries.map((entry) => `- ${entry}\n`).join('')}`,
    ...entries.map((entry) => bundle(/web\.v([\d.]+\d)/.exec(entry)?.[1] ?? '')),
  ].join('---\n')

const chain = catalog('{name: web.v1.2.0, replaces: web.v1.1.0}', '{name: web.v1.1.0, replaces: web.v1.0.0}', '{name: web.v1.0.0}')
const warned = catalog('{name: web.v1.1.0, replaces: web.v1.0.0, skips: [web.v1.0.0]}', '{name: web.v1.0.0}')
const stranded = catalog('{name: web.v1.1.0}', '{name: web.v1.0.0}')

async function execute(args: readonly string[], input = ''): Promise<{ code: number; stdout: string; stderr: string }> {
  const { context, printed } = testContext({ input })
  await run(application, ['graph', ...args], context)
  return { code: Number(context.process.exitCode ?? 0), ...printed }
}

suite('steadyvm graph', () => {
  after(() => rmSync(folder, { recursive: true }))
  const good = write('good.yaml', chain)
  const warning = write('warning.yaml', warned)
  const bad = write('bad.yaml', stranded)
  const stops = write('stops.txt', '# versions\nv1.1.0 # the one\n')
  write('folder/a.yaml', chain)
  write('folder/docs/README.md', 'no catalog')
  write('folder/.indexignore', 'docs/\n')
  write('unreadable/a.yaml', 'name: x\n')

  const rows: readonly (readonly [title: string, args: readonly string[], code: number, printed: RegExp])[] = [
    ['a catalog without findings', [good], 0, /No findings/],
    [
      'a folder without what .indexignore names',
      [join(folder, 'folder')],
      0,
      /web +stable \(default\) +3 +2 +web\.v1\.2\.0 +2 from web\.v1\.0\.0/,
    ],
    ['an error', [bad], 2, /multi-head \(error\) channel "stable" of package "web"/],
    ['a warning', [warning], 0, /redundant-edge \(warning\)/],
    ['a warning that is to fail', [warning, '--fail-on', 'warning'], 2, /redundant-edge/],
    ['an id that is to fail', [warning, '--fail-on', 'redundant-edge,cycle'], 2, /redundant-edge/],
    ['an error that is not to fail', [bad, '--fail-on', 'none'], 0, /multi-head/],
    ['an unknown id', [good, '--fail-on', 'redundant'], 1, /"redundant" is no check/],
    ['a way', [good, '--from', '1.0.0'], 0, /2 steps: web\.v1\.0\.0 → web\.v1\.1\.0 → web\.v1\.2\.0/],
    ['a way by names', [good, '--from', 'web.v1.1.0', '--to', 'web.v1.2.0'], 0, /1 step: web\.v1\.1\.0 → web\.v1\.2\.0/],
    [
      'a way that is too long',
      [good, '--max-hops', '1', '--fail-on', 'error,longest-path'],
      2,
      /longest-path .*\n.*has 2 steps, and 1 are allowed/,
    ],
    ['no way', [good, '--from', '1.2.0', '--to', '1.0.0', '--fail-on', 'none'], 2, /no way from web\.v1\.2\.0 to web\.v1\.0\.0/],
    ['an unknown version', [good, '--from', '9.9.9'], 1, /--from: the catalog has no version or bundle "9\.9\.9"/],
    ['--to without --from', [good, '--to', '1.0.0'], 1, /--to needs --from/],
    ['required stops that no step jumps over', [good, '--required-stops', stops], 0, /No findings/],
    ['a file of stops that is none', [good, '--required-stops', good], 1, /good\.yaml:1: "schema: olm\.package" is no version/],
    ['an unknown package', [good, '--package', 'x'], 1, /no package "x"; it has web/],
    ['an unknown channel', [good, '--channel', 'x'], 1, /no channel "x"; there are stable/],
    ['an unknown bundle', [good, '--minimum-edge', 'x'], 1, /No channel has the bundle "x"/],
    ['a setting of v1 alone', [good, '--version-range', '1.x'], 1, /add --semantics v1/],
    ['a range that is none', [good, '--semantics', 'v1', '--version-range', '>>'], 1, /--version-range: ">>" is no constraint/],
    ['v1 with a range', [good, '--semantics', 'v1', '--version-range', '<1.2'], 2, /web +\(all\) +3 +1 +web\.v1\.1\.0/],
    [
      'v1 without the steps of the catalog',
      [bad, '--semantics', 'v1', '--upgrade-constraint-policy', 'SelfCertified', '--from', '1.0.0', '--fail-on', 'none'],
      0,
      /1 step: web\.v1\.0\.0 → web\.v1\.1\.0/,
    ],
    ['what is no catalog', [join(folder, 'unreadable')], 1, /unreadable is no catalog: .*a\.yaml:1: the document has no "schema"/],
    ['a file that does not exist', [join(folder, 'none')], 1, /There is no ".*none"/],
    ['our own releases', [], 0, /steadyvm\.v.*\n\nUpgrade patches give the same object on all \d+ ways/],
  ]
  for (const [title, args, code, printed] of rows) {
    test(title, async () => {
      const result = await execute(args)
      assert.match(result.stdout + result.stderr, printed)
      assert.equal(result.code, code, result.stdout + result.stderr)
    })
  }

  test('a catalog from standard input, in every format', async () => {
    const formats: readonly (readonly [string, RegExp])[] = [
      ['wide', /web\.v1\.0\.0 +1\.0\.0 +web\.v1\.1\.0 +2 +1 +-/],
      ['yaml', /^kind: UpgradeGraph$/m],
      ['mermaid', /^graph LR\n/],
      ['dot', /^digraph /],
      ['svg', /^<svg .*<\/svg>\n$/s],
    ]
    for (const [format, printed] of formats) {
      const { code, stdout } = await execute(['-', '-o', format], chain)
      assert.match(stdout, printed)
      assert.equal(code, 0)
    }
    const json = JSON.parse((await execute(['-', '-o', 'json', '--from', '1.0.0'], chain)).stdout) as Record<string, unknown>
    assert.deepEqual([json['kind'], json['isValid'], json['findings']], ['UpgradeGraph', true, []])
    const lanes = JSON.parse((await execute(['-', '-o', 'lanes'], chain)).stdout) as readonly {
      readonly from: string
      readonly to: string
    }[]
    assert.deepEqual(
      lanes.map(({ from, to }) => `${from} ${to}`),
      ['web.v1.0.0 web.v1.1.0', 'web.v1.1.0 web.v1.2.0'],
    )
    const drawing = await execute(['-', '-o', 'mermaid'], stranded)
    assert.deepEqual([drawing.code, drawing.stderr.startsWith('error: multi-head: ')], [2, true])
  })
})
