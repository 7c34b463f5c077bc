import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from './jobs.ts'
import { killRunning, runJob } from './run-job.ts'

const folder = mkdtempSync(join(tmpdir(), 'run-job-'))
after(() => rmSync(folder, { recursive: true }))

/** Returns the body of a test file that starts a process and writes its PID into a file. */
function leaving(note: string, afterwards = ''): string {
  return `test('a', async () => {
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
    child.unref()
    const { writeFileSync } = await import('node:fs')
    writeFileSync(${JSON.stringify(note)}, String(child.pid))
    ${afterwards}
  })`
}

/** Reports whether the process of a PID file has ended. It is a zombie until init collects it. */
function isGone(note: string): boolean {
  const stat = `/proc/${readFileSync(note, 'utf8')}/stat`
  return !existsSync(stat) || / Z /.test(readFileSync(stat, 'utf8'))
}

function jobOf(name: string, body: string, limitMinutes = 1): Job {
  const file = join(folder, `${name}.test.mjs`)
  writeFileSync(file, `import { test } from 'node:test'\nimport { spawn } from 'node:child_process'\n${body}\n`)
  const command = ['node', '--test', '--test-isolation=none', file]
  return { stage: 'end-to-end tests', name, command, files: [file], expectedSeconds: 1, limitMinutes }
}

const run = (job: Job): ReturnType<typeof runJob> => runJob(job, { tier: 'default', logs: folder })

suite('runJob()', { concurrency: true }, () => {
  test('counts what passed and why others were skipped', async () => {
    const result = await run(jobOf('passes', "test('a', () => {})\ntest('b', { skip: 'no kubectl' }, () => {})"))
    assert.deepEqual([result.ok, result.passed, result.failed, result.skipped], [true, 1, 0, ['no kubectl']])
    assert.equal(result.secondsByFile.size, 1)
  })

  test('shows the failure of a test', async () => {
    const result = await run(jobOf('fails', "test('a', () => { throw new Error('two is not three') })"))
    assert.deepEqual([result.ok, result.failed], [false, 1])
    assert.match(result.complaint, /two is not three/)
  })

  test('shows an error that comes after the end of a test', async () => {
    const late = "test('a', () => void setTimeout(() => { throw new Error('too late') }, 20))"
    const next = "test('b', () => new Promise((resolve) => setTimeout(resolve, 200)))"
    const result = await run(jobOf('is-late', `${late}\n${next}`))
    assert.equal(result.ok, false)
    assert.match(result.complaint, /^ℹ Error: .*too late/)
  })

  test('kills a file that hangs, and names the test', async () => {
    const result = await run(
      jobOf('hangs', "test('waits for ever', async () => { await new Promise(() => setInterval(() => {}, 1000)) })", 0.03),
    )
    assert.equal(result.ok, false)
    assert.match(result.complaint, /hangs was killed after 0\.03 minutes: "waits for ever" in .*hangs\.test\.mjs/)
  })

  test('fails a file that cannot be loaded', async () => {
    const result = await run(jobOf('breaks', "import './missing.mjs'"))
    assert.equal(result.ok, false)
    assert.match(result.complaint, /missing\.mjs/)
  })

  test('kills processes that a file leaves behind', { timeout: 60_000 }, async () => {
    const note = join(folder, 'pid')
    const result = await run(jobOf('leaves', leaving(note)))
    assert.equal(result.ok, true)
    while (!isGone(note)) await sleep(10)
  })
})

// After the jobs of the suite: it ends all that run.
test('killRunning() ends jobs with the processes that they have started', { timeout: 60_000 }, async () => {
  const note = join(folder, 'pid-of-interrupted')
  const job = run(jobOf('is-interrupted', leaving(note, 'await new Promise(() => setInterval(() => {}, 1000))')))
  while (!existsSync(note) || readFileSync(note, 'utf8') === '') await sleep(10)
  killRunning()
  while (!isGone(note)) await sleep(10)
  assert.equal((await job).ok, false)
})
