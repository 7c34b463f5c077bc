// Takes some minutes: it compiles virtctl, and boots guests.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { sshOptions, userStory } from '../support/guests/guest-story.ts'
import { noKubectl } from '../support/kubectl.ts'
import { startMachine } from '../support/machine.ts'
import { buildProgram } from './oracle.ts'

const run = promisify(execFile)

suite("KubeVirt's own virtctl", { skip: noKubectl || (podNetworkObstacle() ?? false), timeout: 1_800_000 }, () => {
  test('reaches a first own VM by SSH, also while it moves, and makes its Service', async (t) => {
    const virtctl = await buildProgram('kubevirt', ['build'], './cmd/virtctl')
    if ('missing' in virtctl) return t.skip(virtctl.missing)
    await using client = virtctl
    await using machine = await startMachine({ nodes: 2 })
    await userStory(t, machine, {
      ssh: (vm, key, command) => {
        const options = sshOptions.split(' -o ').map((option) => `--local-ssh-opts=-o ${option.replace(/^-o /, '')}`)
        return [client.path, ['ssh', `root@vm/${vm}`, '-i', key, ...options, '--command', command]]
      },
      expose: (vm, service, port) =>
        run(client.path, ['expose', 'vm', vm, '--name', service, '--port', String(port)], { env: machine.env }),
    })
    for (const [verb, expected] of [
      [['guestosinfo', 'mine'], /reported a conflict/],
      [['vnc', 'screenshot', 'mine', '-f', '/dev/null'], /^$/],
      [['reset', 'mine'], /reset/i],
    ] as const) {
      const { stdout, stderr } = await run(client.path, [...verb], { env: machine.env }).catch(
        (error: { stdout: string; stderr: string }) => error,
      )
      const text = `${stdout}${stderr}`.replace(/^failed to validate metadata.*\n/, '')
      assert.match(text, expected, verb.join(' '))
    }
  })
})
