import { leave, made, type Scenario } from '../scenario.ts'

/** Directives inside a directive have their brackets escaped, because `]]` would end the outer directive. */
function agentCall(prompt: string): string {
  const input = JSON.stringify({ description: 'look around', prompt, subagent_type: 'general-purpose' })
  return `[[tool Agent ${input.replaceAll('[[', '\\u005b\\u005b').replaceAll(']]', '\\u005d\\u005d')}]]`
}

export const agents: Scenario[] = [
  {
    name: 'a subagent continues after a refused permission, and works with a granted one',
    play: async bench => {
      const terminal = await bench.ready()
      const touch = `[[bash touch ${bench.root}/made]]`
      await bench.say(
        terminal,
        `Go. ${agentCall(`Sub. ${touch} ${touch} [[text From it.]]`)} [[text Started.]]`,
      )
      await bench.untilEvent('Stop')
      await bench.untilEvent('PermissionRequest')
      await bench.untilDialog(terminal, /Do you want to proceed\?/)
      terminal.send('4')
      await bench.untilEvent('PermissionRequest', 2)
      await bench.untilDialog(terminal, /Do you want to proceed\?/)
      terminal.send('1')
      await bench.untilEvent('Stop', 2)
      await leave(bench, terminal)
      return made(bench)
    },
  },
  {
    name: 'a command runs in the background',
    play: async bench => {
      const terminal = await bench.ready(['--allowedTools', 'Bash'])
      const command = `while [ ! -e ${bench.root}/go ]; do sleep 0.1; done`
      const input = JSON.stringify({ command, description: 'Wait', run_in_background: true })
      await bench.say(terminal, `Run. [[tool Bash ${input}]] [[text Started.]]`)
      await bench.untilStatus('shell')
      bench.writeFile('go', '')
      await bench.untilEvent('Stop', 2)
      await leave(bench, terminal)
    },
  },
]
