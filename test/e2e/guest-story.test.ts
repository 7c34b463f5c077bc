// Takes longer than 45 s: it boots guests, and moves one during an SSH session and a download.
import { suite, test } from 'node:test'
import { join } from 'node:path'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { sshOptions, userStory } from '../support/guests/guest-story.ts'
import { noKubectl } from '../support/kubectl.ts'
import { repository, startMachine } from '../support/machine.ts'

suite('a first own VM', { skip: noKubectl || (podNetworkObstacle() ?? false) }, () => {
  test('is reached by SSH, reaches the outside, has a Service, and moves during a session and a download', async (t) => {
    await using machine = await startMachine({ nodes: 2 })
    await userStory(t, machine, {
      ssh: (vm, key, command) => {
        const flags = ['-n', machine.namespace, '-i', key, '-t', sshOptions, '-c', command]
        return [join(repository, 'bin', 'steadyvm'), ['ssh', ...flags, `root@${vm}`]]
      },
      expose: async (vm, service, port) => {
        await machine.kubectl(['create', 'service', 'clusterip', service, `--tcp=${port}:${port}`])
        await machine.kubectl(['set', 'selector', 'service', service, `app=${vm}`])
      },
    })
  })
})
