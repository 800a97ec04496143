/* The protocol of tests/src/peers.rs for Spin, step for step: exiting tasks on one or two mms, one
 * mm_reaper, an OOM killer, one get_task_mm() user. Sequentially consistent, safety only.
 *
 * -DEXITERS= -DMMS= (1 or 2) -DOOM= -DUSER= choose the actors, -DBUG_VICTIM_QUEUED, -DBUG_LATE_MARK or
 * -DBUG_EARLY_SKIP a mistake to be found.
 *
 * An access of an atomic or of a lock is a step. Ordinary memory joins the step beside it, as it does
 * in mmspec: fewer states than a step for each access, so this favours Spin. Where mmspec looks for
 * data races, this asserts on values. Tests of the value just written are in one atomic sequence with
 * it, and nothing is kept in a local variable that need not be, for the same reason.
 */
#define NONE 255

typedef Mm {
	byte users, count, readers;
	bool writer, targeted, oom_skip, pages, tables_freed, torn, freed, queued
};

Mm mm[MMS];
bool task_lock[EXITERS], queue_lock;
byte task_mm[EXITERS], queue, pending;

/* An actor stays where it ends: to remove it would cost Spin states. */
#define stop end: false
#define alive(m) assert(!mm[m].freed)

inline mmdrop(m) {
	atomic {
		alive(m);
		mm[m].count--;
		if :: mm[m].count == 0 -> mm[m].freed = true :: else fi
	}
}

inline exit_mmap(m) {
	atomic {
		!mm[m].writer -> mm[m].readers++;
		alive(m);
		assert(mm[m].users == 0 && !mm[m].torn);
		mm[m].torn = true
	};
	mm[m].pages = false;
	mm[m].readers--;
	mm[m].oom_skip = true;
	atomic {
		!mm[m].writer && mm[m].readers == 0 -> mm[m].writer = true;
		mm[m].tables_freed = true
	};
	mm[m].writer = false;
	mmdrop(m)
}

/* Ends the actor here unless it has dropped the last user. */
#define drop_last_user(m) \
	atomic { \
		alive(m); \
		mm[m].users--; \
		if :: mm[m].users == 0 :: else -> goto gone fi \
	}

proctype exiter(byte id) {
	byte m;
	atomic {
		!task_lock[id] -> task_lock[id] = true;
		m = task_mm[id];
		task_mm[id] = NONE
	};
	task_lock[id] = false;
	drop_last_user(m);
	if :: mm[m].oom_skip -> goto now :: else fi;
#ifndef BUG_VICTIM_QUEUED
	if :: mm[m].targeted -> goto now :: else fi;
#endif
	atomic {
		if :: pending == 0 -> pending++ :: else -> goto now fi
	};
	atomic {
		!queue_lock -> queue_lock = true;
		assert(!mm[m].targeted);
		mm[m].queued = true;
		queue = queue | (1 << m)
	};
	queue_lock = false;
	goto gone;
now:
	exit_mmap(m);
gone:
	stop
}

proctype mm_reaper() {
	byte taken;
	atomic {
		!queue_lock -> queue_lock = true;
		taken = queue;
		queue = 0
	};
	queue_lock = false;
	if :: taken & 1 -> exit_mmap(0); pending-- :: else fi;
#if MMS == 2
	if :: taken & 2 -> exit_mmap(1); pending-- :: else fi;
#endif
	stop
}

#if OOM
inline mark(m) {
	atomic {
		mm[m].targeted = true;
		assert(!mm[m].queued)
	}
}

proctype oom() {
	byte m;
	bool skipped;
	atomic {
		!task_lock[0] -> task_lock[0] = true;
		m = task_mm[0]
	};
	if :: m == NONE -> task_lock[0] = false; goto gone :: else -> mm[m].count++ fi;
#ifdef BUG_LATE_MARK
	task_lock[0] = false;
	mark(m);
#else
	mark(m);
	task_lock[0] = false;
#endif
#ifdef BUG_EARLY_SKIP
	skipped = mm[m].oom_skip;
#endif
	atomic {
		if :: mm[m].writer -> goto reaped :: else -> mm[m].readers++ fi
	};
#ifndef BUG_EARLY_SKIP
	skipped = mm[m].oom_skip;
#endif
	if :: !skipped -> atomic { assert(!mm[m].tables_freed); mm[m].pages = false } :: else fi;
	mm[m].readers--;
reaped:
	mm[m].oom_skip = true;
	mmdrop(m);
gone:
	stop
}
#endif

#if USER
proctype user() {
	byte m;
	atomic {
		!task_lock[0] -> task_lock[0] = true;
		m = task_mm[0]
	};
	if :: m == NONE -> task_lock[0] = false; goto gone :: else -> mm[m].users++ fi;
	atomic {
		task_lock[0] = false;
		assert(!mm[m].torn)
	};
	drop_last_user(m);
	exit_mmap(m);
gone:
	stop
}
#endif

init {
	byte i;
	atomic {
		for (i : 0 .. MMS - 1) {
			mm[i].count = 1;
			mm[i].pages = true
		};
		for (i : 0 .. EXITERS - 1) {
			task_mm[i] = i % MMS;
			mm[i % MMS].users++;
			run exiter(i)
		};
		run mm_reaper();
#if OOM
		run oom();
#endif
#if USER
		run user();
#endif
		i = 0
	};
	/* Nobody can move any more: each mm is freed or queued, and the budget is exact. */
	atomic {
		timeout;
		assert(pending == (queue & 1) + ((queue >> 1) & 1));
		for (i : 0 .. MMS - 1) {
			assert(mm[i].freed != ((queue >> i) & 1))
		}
	}
}
