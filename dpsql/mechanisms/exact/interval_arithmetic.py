"""Real functions rounded outwards: exp, ln, square root and the normal tail between two fractions.

For parameters and accounts, which must be safe and are public; draws are decided elsewhere, on integers.

Because: the decimal module rounds exp, ln and square roots correctly, so that the exact value lies between
the neighbours of its result; every argument is rounded downwards for the lower bound and upwards for the upper
one. All functions here are monotone.

Source for the normal tail: the series Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/(3*5) + ...), whose terms are
positive (Abramowitz and Stegun 1964, 26.2.11), and far out x/(1 + x^2) phi(x) < Q(x) < phi(x)/x (Gordon 1941).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from dpsql.mechanisms.exact.exact_exp import Bounds

DIGITS = 60
FAR = 40
LARGEST_EXPONENT = 20_000
HALVINGS = 30


def exp_outward(x: Fraction) -> Bounds:
    """Bounds of exp(x), about 58 digits apart; 0 is the lower one for x < -20,000.

    ValueError for x > 20,000, which no account reaches in earnest.
    """
    if x > LARGEST_EXPONENT:
        raise ValueError(f"exp({float(x):.3g}) is out of reach: use a smaller epsilon or fewer folds")
    if x < -LARGEST_EXPONENT:
        return Fraction(0), exp_outward(Fraction(-LARGEST_EXPONENT))[1]
    return (Fraction(1), Fraction(1)) if x == 0 else _outward(x, lambda c, v: c.exp(v))


def ln_outward(x: Fraction) -> Bounds:
    """Bounds of ln(x) for x > 0, about 58 digits apart."""
    return (Fraction(0), Fraction(0)) if x == 1 else _outward(x, lambda c, v: c.ln(v))


def directed() -> tuple[Context, Context]:
    """Contexts whose sums, products and quotients are rounded up, and down."""
    return _context(ROUND_CEILING, DIGITS), _context(ROUND_FLOOR, DIGITS)


def exp_up(x: Fraction, up: Context) -> Decimal:
    """An upper bound of exp(x) for x <= 20,000, as `exp_outward` has it, in the context that rounds up."""
    if x > LARGEST_EXPONENT:
        raise ValueError(f"exp({float(x):.3g}) is out of reach: use a smaller epsilon or fewer folds")
    least = max(x, Fraction(-LARGEST_EXPONENT))
    return up.next_plus(up.exp(up.divide(Decimal(least.numerator), Decimal(least.denominator))))


def exp_down(x: Fraction, down: Context) -> Decimal:
    """A lower bound of exp(x) for x <= 0, as `exp_outward` has it, in the context that rounds down."""
    if x < -LARGEST_EXPONENT:
        return Decimal(0)
    return down.next_minus(down.exp(down.divide(Decimal(x.numerator), Decimal(x.denominator))))


def ln_up(x: Decimal, up: Context) -> Decimal:
    """An upper bound of ln(x) for x > 0 of at most 60 digits."""
    return up.next_plus(up.ln(x))


def sqrt_outward(x: Fraction) -> Bounds:
    """Bounds of the square root of x >= 0, about 58 digits apart; exact for 0."""
    return (x, x) if x == 0 else _outward(x, lambda c, v: c.sqrt(v))


def _outward(x: Fraction, function: Callable[[Context, Decimal], Decimal]) -> Bounds:
    """The neighbours of a monotone, correctly rounded function of x rounded down and up."""
    nearest = _context(ROUND_HALF_EVEN, DIGITS)
    ends = [_divided(x, rounding, DIGITS) for rounding in (ROUND_FLOOR, ROUND_CEILING)]
    low, high = (function(nearest, end) for end in ends)
    return Fraction(nearest.next_minus(low)), Fraction(nearest.next_plus(high))


def _context(rounding: str, digits: int) -> Context:
    return Context(prec=digits, rounding=rounding, Emin=-50_000, Emax=50_000)


def _divided(x: Fraction, rounding: str, digits: int) -> Decimal:
    return _context(rounding, digits).divide(Decimal(x.numerator), Decimal(x.denominator))


def normal_tail(x: Fraction) -> Bounds:
    """Bounds of Q(x) = P(N > x), N standard normal; relatively close for |x| <= 40, and safe beyond."""
    if x < 0:
        low, high = normal_tail(-x)
        return 1 - high, 1 - low
    return _near_tail(x) if x <= FAR else _far_tail(x)


def _far_tail(x: Fraction) -> Bounds:
    """From Gordon's bounds, with 1/sqrt(2 pi) between 0.39 and 0.4."""
    low, high = exp_outward(-x * x / 2)
    return low * Fraction(39, 100) * x / (1 + x * x), high * Fraction(4, 10) / x


def _near_tail(x: Fraction) -> Bounds:
    """1/2 - phi(x) (x + x^3/3 + x^5/15 + ...), with as many more digits as the difference cancels.

    x is rounded once, each of the n terms and partial sums at most four times, the rest of the series is below
    its last term: together less than (4 n + 100) units of the last digit, since phi(x) times the sum is at
    most 1/2 and Q changes by at most 0.4 a unit of x.
    """
    digits = DIGITS + 10 + int(x * x / 4)
    context = _context(ROUND_HALF_EVEN, digits)
    value = _divided(x, ROUND_HALF_EVEN, digits)
    square = context.multiply(value, value)
    total, count = _odd_series(value, square, context)
    exponent = context.multiply(square, Decimal("-0.5"))  # not -square, which another context would round
    density = context.divide(context.exp(exponent), _root_two_pi(context))
    tail = Fraction(1, 2) - Fraction(context.multiply(density, total))
    error = Fraction(40 * (4 * count + 100), 10**digits)
    return tail - error, tail + error


def _odd_series(value: Decimal, square: Decimal, context: Context) -> tuple[Decimal, int]:
    """x + x^3/3 + x^5/(3*5) + ... until its terms at least halve and are too small to count, and their number."""
    total = term = value
    count, small = 1, Decimal((0, (1,), -context.prec - 10))
    while term > context.multiply(small, total) or context.multiply(Decimal(2), square) > 2 * count + 1:
        term = context.divide(context.multiply(term, square), Decimal(2 * count + 1))
        total = context.add(total, term)
        count += 1
    return total, count


def _root_two_pi(context: Context) -> Decimal:
    """sqrt(2 pi), from pi = 16 arctan(1/5) - 4 arctan(1/239) (Machin) on integers."""
    unit = 10 ** (context.prec + 10)
    pi = 16 * _arctan_of_inverse(5, unit) - 4 * _arctan_of_inverse(239, unit)
    return context.sqrt(context.divide(Decimal(2 * pi), Decimal(unit)))


def root_two_pi() -> Bounds:
    """Bounds of sqrt(2 pi)."""
    value, error = Fraction(_root_two_pi(_context(ROUND_HALF_EVEN, DIGITS))), Fraction(1, 10 ** (DIGITS - 3))
    return value - error, value + error


def _arctan_of_inverse(n: int, unit: int) -> int:
    """arctan(1/n) in units of 1/unit, off by less than its number of terms."""
    power, total, odd = unit // n, 0, 1
    while power:
        total += power // odd if odd % 4 == 1 else -(power // odd)
        power //= n * n
        odd += 2
    return total


def least_fraction(holds: Callable[[Fraction], bool]) -> Fraction:
    """A fraction x > 0 at which a predicate holds, the least up to a factor 1 + 2^-30 if it stays true once it is true.

    Whatever the predicate, it has been seen to hold at the result. x is a whole number of at most 31 bits times
    a power of two. The predicate must hold for all large enough x.
    """
    power = 0
    while not holds(_power_of_two(power)):
        power += 1
    while holds(_power_of_two(power - 1)):
        power -= 1
    low, high = _power_of_two(power - 1), _power_of_two(power)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)
