import type { Registry } from '../cli/command.ts'

export const registry: Registry = {
  description:
    'Run many Claude Code agents at once, each in its own tmux window with its own copy of a repo.',
  firstSteps: ['agenc setup', 'agenc repo add owner/name', 'agenc mission new owner/name'],
  nouns: {
    mission: {
      summary: 'Start, list, resume and end missions',
      verbs: {
        new: {
          summary: 'Start a mission on a repo',
          load: () => import('./mission/new.ts'),
          hot: true,
          completes: { name: 'ref' },
        },
        ls: { summary: 'List missions', load: () => import('./mission/ls.ts'), hot: true },
        dir: { summary: "Print a mission's directory", load: () => import('./mission/dir.ts') },
        show: { summary: 'Show everything about one mission', load: () => import('./mission/show.ts') },
        resume: {
          summary: 'Continue a mission with its conversation',
          load: () => import('./mission/resume.ts'),
          hot: true,
        },
        fork: {
          summary: 'Start a mission from a copy of another one',
          load: () => import('./mission/fork.ts'),
          hot: true,
        },
        stop: {
          summary: 'Stop missions',
          load: () => import('./mission/stop.ts'),
          hot: true,
          completes: { missions: 'running missions' },
        },
        set: {
          summary: "Change a mission's permission mode, approvals or model",
          load: () => import('./mission/set.ts'),
        },
        send: {
          summary: 'Send a message to a mission',
          load: () => import('./mission/send.ts'),
          completes: { mission: 'running missions', text: 'nothing' },
        },
        interrupt: {
          summary: "End a mission's turn, not the mission",
          load: () => import('./mission/interrupt.ts'),
          completes: { mission: 'running missions' },
        },
        answer: {
          summary: 'Answer a permission request, a question or a plan',
          load: () => import('./mission/answer.ts'),
        },
        wait: {
          summary: 'Wait until missions are idle, wait for you, or have ended',
          load: () => import('./mission/wait.ts'),
          completes: { missions: 'running missions' },
        },
        plan: { summary: "Print a mission's latest plan", load: () => import('./mission/plan.ts') },
        print: {
          summary: 'Print the conversation of a mission',
          load: () => import('./mission/print.ts'),
          hot: true,
        },
        diff: {
          summary: 'Show what a mission has changed',
          load: () => import('./mission/diff.ts'),
          hot: true,
        },
        review: {
          summary: 'Write comments on what a mission has changed',
          load: () => import('./mission/review.ts'),
        },
        conflicts: {
          summary: 'Show which missions would conflict, and in which files',
          load: () => import('./mission/conflicts.ts'),
        },
        undo: {
          summary: "Put a mission's files back as they were before a turn",
          load: () => import('./mission/undo.ts'),
        },
        pr: {
          summary: "Push a mission's branch and open a pull request",
          load: () => import('./mission/pr.ts'),
        },
        push: { summary: "Push a mission's branch to origin", load: () => import('./mission/push.ts') },
        rename: { summary: 'Rename a mission', load: () => import('./mission/rename.ts') },
        pull: {
          summary: "Bring a mission's work into your checkout",
          load: () => import('./mission/pull.ts'),
        },
        sync: {
          summary: 'Bring the newest base into a mission',
          load: () => import('./mission/sync.ts'),
        },
        done: {
          summary: 'Finish missions whose work has arrived',
          load: () => import('./mission/done.ts'),
          destructive: true,
        },
        archive: {
          summary: 'Stop missions and hide them from lists',
          load: () => import('./mission/archive.ts'),
        },
        unarchive: {
          summary: 'Bring archived missions back',
          load: () => import('./mission/unarchive.ts'),
          completes: { missions: 'archived missions' },
        },
        rm: {
          summary: 'Delete missions and their files',
          load: () => import('./mission/rm.ts'),
          destructive: true,
          completes: { missions: 'missions not running' },
        },
        open: {
          summary: "Open a mission's directory in the editor",
          load: () => import('./mission/open.ts'),
        },
        focus: { summary: 'Bring a mission to the front', load: () => import('./mission/focus.ts') },
        'close-editor': {
          summary: 'Close the window that shows a mission',
          load: () => import('./mission/close-editor.ts'),
        },
        '_run-wrapper': {
          summary: 'Run one mission',
          load: () => import('./mission/run-wrapper.ts'),
          hidden: true,
          hot: true,
        },
        _reap: {
          summary: 'End processes that a killed wrapper left behind',
          load: () => import('./mission/reap.ts'),
          hidden: true,
        },
      },
    },
    loop: {
      summary: 'Run a mission again and again until a command succeeds',
      verbs: {
        start: {
          summary: 'Run a mission until a command succeeds',
          load: () => import('./loop/start.ts'),
          completes: { target: 'repos and missions' },
        },
        ls: { summary: 'List loops', load: () => import('./loop/ls.ts') },
        show: {
          summary: 'Show one loop with its rounds',
          load: () => import('./loop/show.ts'),
        },
        log: {
          summary: 'Print what a loop has done',
          load: () => import('./loop/log.ts'),
        },
        stop: {
          summary: 'Stop a loop and the turn of its mission',
          load: () => import('./loop/stop.ts'),
        },
        continue: {
          summary: 'Go on with a loop at the round it was in',
          load: () => import('./loop/continue.ts'),
        },
        focus: {
          summary: "Bring a loop's window to the front",
          load: () => import('./loop/focus.ts'),
        },
        _run: { summary: 'Run one loop', load: () => import('./loop/run.ts'), hidden: true },
      },
    },
    tmux: {
      summary: 'The agenc session: one window per mission',
      verbs: {
        attach: { summary: 'Go to the agenc session', load: () => import('./tmux/attach.ts') },
        detach: {
          summary: 'Leave the agenc session; its missions keep running',
          load: () => import('./tmux/detach.ts'),
        },
        switch: {
          summary: 'Pick a mission and go to its window',
          load: () => import('./tmux/switch.ts'),
          hot: true,
        },
        next: {
          summary: 'Go to the mission that has waited longest',
          load: () => import('./tmux/next.ts'),
          hot: true,
        },
        restore: {
          summary: 'Reopen the missions that were running when tmux ended',
          load: () => import('./tmux/restore.ts'),
        },
        'inject-config': {
          summary: 'Apply key bindings and styles to the session',
          load: () => import('./tmux/inject-config.ts'),
        },
        kill: {
          summary: 'Stop its missions and end the session',
          load: () => import('./tmux/kill.ts'),
          destructive: true,
          hot: true,
        },
      },
    },
    repo: {
      summary: 'The library of repos that missions are copied from',
      verbs: {
        add: {
          summary: 'Clone a repo into the library',
          load: () => import('./repo/add.ts'),
          completes: { repo: 'dir' },
        },
        ls: { summary: 'List the repos in the library', load: () => import('./repo/ls.ts') },
        update: { summary: 'Fetch new commits into the library', load: () => import('./repo/update.ts') },
        trust: { summary: 'Trust a repo, or stop trusting it', load: () => import('./repo/trust.ts') },
        gc: {
          summary: 'Delete old checkpoints, and deleted missions, for good',
          load: () => import('./repo/gc.ts'),
          destructive: true,
        },
        rm: {
          summary: 'Remove a repo from the library',
          load: () => import('./repo/rm.ts'),
          destructive: true,
        },
      },
    },
    approvals: {
      summary: 'Past permission requests, and your rules',
      verbs: {
        ls: {
          summary: 'List permission requests and their answers',
          load: () => import('./approvals/ls.ts'),
        },
        test: {
          summary: 'Show what your rules would do with a command',
          load: () => import('./approvals/test.ts'),
        },
        allow: {
          summary: 'Write a rule that allows a command',
          load: () => import('./approvals/allow.ts'),
        },
        deny: {
          summary: 'Write a rule that denies a command',
          load: () => import('./approvals/deny.ts'),
        },
        rm: { summary: 'Remove a rule', load: () => import('./approvals/rm.ts') },
      },
    },
    editor: {
      summary: 'Editors, and task files for them',
      verbs: {
        ls: { summary: 'List the known editors', load: () => import('./editor/ls.ts') },
        tasks: { summary: 'Write task files for Zed and VS Code', load: () => import('./editor/tasks.ts') },
      },
    },
    config: {
      summary: 'Settings',
      verbs: {
        ls: { summary: 'List all settings', load: () => import('./config/ls.ts') },
        get: { summary: 'Print one setting', load: () => import('./config/get.ts') },
        set: { summary: 'Change one setting', load: () => import('./config/set.ts') },
        unset: { summary: 'Reset one setting to its default', load: () => import('./config/unset.ts') },
        edit: { summary: 'Edit the settings file', load: () => import('./config/edit.ts') },
        path: { summary: 'Print the path of the settings file', load: () => import('./config/path.ts') },
      },
    },
    skill: {
      summary: 'The page for agents, as a skill of Claude',
      verbs: {
        install: {
          summary: 'Write the skill into your Claude directory',
          load: () => import('./skill/install.ts'),
        },
        rm: { summary: 'Remove the skill', load: () => import('./skill/rm.ts') },
      },
    },
    completion: {
      summary: 'Shell completion for bash, zsh and fish',
      verbs: {
        install: {
          summary: 'Install completion for your shell',
          load: () => import('./completion/install.ts'),
        },
        bash: { summary: 'Print the script for bash', load: () => import('./completion/bash.ts') },
        zsh: { summary: 'Print the script for zsh', load: () => import('./completion/zsh.ts') },
        fish: { summary: 'Print the script for fish', load: () => import('./completion/fish.ts') },
      },
    },
  },
  topLevel: {
    setup: {
      summary: 'Choose editor, keys, permission mode and a first repo',
      load: () => import('./setup.ts'),
      completes: { repo: 'dir', key: 'nothing' },
    },
    demo: { summary: 'Try agenc without a Claude account', load: () => import('./demo.ts') },
    doctor: { summary: 'Find problems and say how to fix them', load: () => import('./doctor.ts') },
    events: {
      summary: 'Print every change of the missions as a line',
      load: () => import('./events.ts'),
    },
    hold: { summary: 'Pause automatic approvals', load: () => import('./hold.ts') },
    prime: { summary: 'Print what an agent needs to know to run missions', load: () => import('./prime.ts') },
    status: {
      summary: 'Show missions and the windows that show them',
      load: () => import('./status.ts'),
      hot: true,
    },
  },
  shortForms: {
    ls: 'mission ls',
    new: 'mission new',
    resume: 'mission resume',
    stop: 'mission stop',
    send: 'mission send',
    attach: 'tmux attach',
    diff: 'mission diff',
  },
}
